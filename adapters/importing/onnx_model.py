"""A user's ONNX model as a case on standard output.

    python3 adapters importing.onnx_model FILE.onnx [--input TYPE|NAME=TYPE|FEED.json]... [--seed N]

Constants are folded, then each node becomes ATen calls (importing/onnx/). The feed is drawn, or read from a JSON object
of the inputs' elements. An input that a case needs as a number, as the sizes of a Reshape, is fixed at what the feed
says. What has no counterpart is one error that names the operator, its version and the node.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from adapters.importing.onnx.model import Importer
from adapters.importing.onnx.reading import read_model
from adapters.importing.onnx.types import element_dtype
from adapters.importing.onnx.values import NoCounterpartError, NotKnownError
from adapters.importing.open_sizes import Range, with_symbols
from adapters.importing.weights_beside import move_weights
from adapters.worker.arrays import Array, decode, encode
from adapters.worker.case_text import split_type
from adapters.worker.one_answer import answer_once
from adapters.worker.system import Json

__all__ = ["NoCounterpartError", "import_model", "main", "read_case"]

Types = dict[str, tuple[str, list[int]]]


def drawn(type_text: str, seed: int) -> list[Any]:
    """Example elements: quarters in [-4, 4], small integers, booleans."""
    dtype, _, sizes = type_text.rstrip("]").partition("[")
    count = int(np.prod([int(size) for size in sizes.split(",") if size], dtype=np.int64))
    numbers = np.random.default_rng(seed)
    if dtype in ("bool", "u8"):
        return numbers.integers(0, 2, count).tolist()
    return (numbers.integers(-16, 17, count) / 4).tolist() if "f" in dtype else numbers.integers(-4, 5, count).tolist()


def import_model(
    model: onnx.ModelProto,
    folder: Path,
    types: Types | None = None,
    given: dict[str, Array] | None = None,
    sizes: dict[str, int] | None = None,
) -> Importer:
    """The model as a case's graph, its symbols at these sizes. Of the inputs that are given, those that a case has as
    numbers are fixed."""
    fixed: dict[str, Array] = {}
    while True:
        try:
            importer = Importer(model, folder, types, fixed, sizes)
        except NotKnownError as error:
            fresh = {name: (given or {})[name] for name in error.roots if name in (given or {})}
            if not fresh.keys() - fixed.keys():
                named = ", ".join(sorted(error.roots))
                raise NoCounterpartError(f"{error}; give the elements of {named} with --input FEED.json") from error
            fixed |= fresh
            continue
        importer.notes += [f"input {name!r} is fixed at what it is fed" for name in fixed]
        return importer


def split_inputs(model: onnx.ModelProto, options: list[str]) -> tuple[Types, Json]:
    """The types and the elements that --input gives, by the names of inputs."""
    weights = {tensor.name for tensor in model.graph.initializer}
    names = [info.name for info in model.graph.input if info.name not in weights]
    types: Types = {}
    elements: Json = {}
    for option in options:
        if not option.endswith("]"):
            elements |= _feed(Path(option), names)
            continue
        named, equals, type_text = option.rpartition("=")
        left = [name for name in names if name not in types]
        if equals and named not in names:
            raise NoCounterpartError(f"--input: there is no input {named!r} among {', '.join(names) or 'none'}")
        if not equals and not left:
            raise NoCounterpartError(f"--input: {option!r} is one more than the {len(names)} inputs")
        try:
            dtype, sizes = split_type(type_text)
        except (ValueError, KeyError) as error:
            raise NoCounterpartError(f"--input: {type_text!r} is no type such as f32[2,3]") from error
        types[named if equals else left[0]] = (dtype, list(sizes))
    return types, elements


def _feed(path: Path, names: list[str]) -> Json:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise NoCounterpartError(f"--input: {path}: neither a type such as f32[2,3] nor a JSON file") from error
    if not isinstance(found, dict) or not found.keys() <= set(names):
        raise NoCounterpartError(f"--input: {path}: no object with the elements of {', '.join(names) or 'no inputs'}")
    return found


def read_case(path: Path, inputs: list[str], seed: int) -> Json:
    try:
        model = read_model(path)
        types, elements = split_inputs(model, inputs)
        arrays = _arrays(model, types, elements)
        importer = import_model(model, path.parent, types, arrays)
    except NoCounterpartError as error:
        raise NoCounterpartError(" ".join(str(error).split())) from error  # a model's names may have any character
    except Exception as error:  # whatever protobuf and onnx raise on what is no model
        text = " ".join(str(error).split())[:200] or type(error).__name__
        raise NoCounterpartError(f"cannot be read: {text}") from error

    def case_of(made: Importer) -> Json:
        feed: Json = {}
        for i, (name, plain) in enumerate(made.names.items()):
            feed[plain] = elements.get(name, drawn(made.b.inputs[plain]["type"], seed + i))
        return made.case(path.stem, feed)

    def at(sizes: dict[str, int]) -> Json:
        return case_of(
            import_model(model, path.parent, types, arrays, {name: sizes[plain_name(name)] for name in open_})
        )

    open_ = importer.open
    case = case_of(importer)
    if open_:
        ranges = {plain_name(name): Range(1, None, size) for name, size in open_.items()}
        case = with_symbols(case, at, ranges, importer.notes.append)
    for note in importer.notes:
        print(f"{path}: {note}", file=sys.stderr)
    if importer.notes:
        case["origin"] = {"source": path.name, "notes": importer.notes}
    return case


def plain_name(symbol: str) -> str:
    """A symbol as a case may name it."""
    plain = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in symbol)
    return plain if plain[0].isalpha() or plain[0] == "_" else f"s_{plain}"


def _arrays(model: onnx.ModelProto, types: Types, elements: Json) -> dict[str, Array]:
    """The elements that were given, as arrays of the inputs' types."""
    found = {}
    for info in model.graph.input:
        if info.name not in elements:
            continue
        tensor = info.type.tensor_type
        dtype = element_dtype(tensor.elem_type)
        if info.name not in types and any(not dim.HasField("dim_value") for dim in tensor.shape.dim):
            raise NoCounterpartError(f"--input: the elements of {info.name!r} need its sizes: give NAME=TYPE too")
        sizes = types.get(info.name, (dtype, [dim.dim_value for dim in tensor.shape.dim]))[1]
        try:
            found[info.name] = decode(elements[info.name], f"{dtype}[{','.join(map(str, sizes))}]")
        except (ValueError, TypeError) as error:
            raise NoCounterpartError(f"--input: the elements of {info.name!r} do not make up {sizes}") from error
    return found


def expectation(arrays: list[Array]) -> list[Json]:
    """Recorded outputs as a case has them."""
    return [encode(np.ascontiguousarray(array).reshape(array.shape)) for array in arrays]


def main() -> int:
    parser = argparse.ArgumentParser(description="Prints an ONNX model as a case.")
    parser.add_argument("file", type=Path)
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        help="the type of an input, in order or as NAME=TYPE, or a JSON object: the elements of inputs by name",
    )
    parser.add_argument("--seed", type=int, default=0, help="of the feed that is drawn")
    parser.add_argument("--weights", metavar="FOLDER", help="where large constants go")
    options = parser.parse_args()

    def imported() -> Json:
        return move_weights(read_case(options.file, options.input, options.seed), options.weights)

    return answer_once(str(options.file), imported)


if __name__ == "__main__":
    sys.exit(main())
