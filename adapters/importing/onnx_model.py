"""A user's ONNX model as a case on standard output.

    python3 adapters importing.onnx_model FILE.onnx [--input FEED.json] [--seed N]

The counterpart of onnx/writer.py: each ONNX node becomes ATen calls. Initializers become constants; the feed is drawn,
or read from a JSON object of the inputs' elements. A node that has no counterpart is one error that names it.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.numpy_helper
import onnx.shape_inference

from adapters.onnx.graph import ONNX_DTYPES
from adapters.worker.arrays import NAMES, Array, encode
from adapters.worker.one_answer import RefusedError, answer_once
from adapters.worker.system import Json

DTYPES = {number: name for name, number in ONNX_DTYPES.items()}


class NoCounterpartError(RefusedError):
    """What the model has that no ATen call expresses."""


class Importer:
    """A case's graph in the making."""

    def __init__(self, model: onnx.ModelProto) -> None:
        inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
        graph = inferred.graph
        self.types = {info.name: info.type.tensor_type for info in (*graph.input, *graph.value_info, *graph.output)}
        self.arrays = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
        self.names: dict[str, str] = {}
        self.inputs: Json = {}
        self.constants: Json = {}
        self.nodes: list[Json] = []
        for info in graph.input:
            if info.name not in self.arrays:
                self.inputs[self.name(info.name)] = {"type": self.type_text(info.name)}
        for node in graph.node:
            self._node(node)
        self.outputs = [self.value(info.name) for info in graph.output]

    def _node(self, node: onnx.NodeProto) -> None:
        where = f"node {node.name or node.output[0]!r} ({node.op_type})"
        if node.domain not in ("", "ai.onnx") or node.op_type not in TABLE:
            raise NoCounterpartError(f"{where} has no counterpart in a case")
        attributes = {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}
        try:
            TABLE[node.op_type](self, node, attributes)
        except (NoCounterpartError, KeyError, IndexError, ValueError) as error:
            raise NoCounterpartError(f"{where} has no counterpart in a case: {error}") from error

    # ---- names and values

    def name(self, name: str) -> str:
        """A name that a case may have, for one that ONNX has."""
        if name not in self.names:
            plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
            plain = plain if re.match(r"[A-Za-z_]", plain) else f"v{plain}"
            while plain in self.names.values():
                plain += "_"
            self.names[name] = plain
        return self.names[name]

    def value(self, name: str) -> str:
        """The argument that stands for an ONNX value; an initializer becomes a constant when it is first used."""
        plain = self.name(name)
        if name in self.arrays and plain not in self.constants:
            self.constants[plain] = encode(self.arrays[name])
        return f"%{plain}"

    def dtype(self, name: str) -> str:
        if name in self.arrays:
            return NAMES[self.arrays[name].dtype]
        return DTYPES[self.types[name].elem_type]

    def shape(self, name: str) -> list[int]:
        if name in self.arrays:
            return list(self.arrays[name].shape)
        dims = self.types[name].shape.dim
        if any(not dim.HasField("dim_value") for dim in dims):
            raise NoCounterpartError(f"the sizes of {name!r} are not fixed")
        return [dim.dim_value for dim in dims]

    def type_text(self, name: str) -> str:
        return f"{self.dtype(name)}[{','.join(map(str, self.shape(name)))}]"

    def array(self, name: str) -> Array:
        """An operand that a case has as an argument, not as a value."""
        if name not in self.arrays:
            raise NoCounterpartError(f"{name!r} is computed, and a case has it as a number")
        return self.arrays[name]

    def integers(self, name: str) -> list[int]:
        return [int(number) for number in self.array(name).reshape(-1)]

    def emit(self, out: str, op: str, *args: Any, **kwargs: Any) -> str:
        self.nodes.append({"out": out, "op": op if op == "getitem" else f"aten.{op}", "args": list(args)})
        if kwargs:
            self.nodes[-1]["kwargs"] = kwargs
        return f"%{out}"

    def step(self, node: onnx.NodeProto, op: str, *args: Any) -> str:
        """A call on the way to a node's result."""
        return self.emit(self.name(f"{node.output[0]}.{len(self.nodes)}"), op, *args)

    def last(self, node: onnx.NodeProto, op: str, *args: Any, **kwargs: Any) -> None:
        """The call that makes a node's result."""
        self.emit(self.name(node.output[0]), op, *args, **kwargs)

    def case(self, name: str, feed: Json) -> Json:
        graph = {"inputs": self.inputs, "constants": self.constants, "nodes": self.nodes, "outputs": self.outputs}
        return {"parallax": 1, "name": name, "graph": graph, "feed": feed}


Node = onnx.NodeProto
Row = Callable[[Importer, Node, dict[str, Any]], None]
TABLE: dict[str, Row] = {}


def row(*kinds: str) -> Callable[[Row], Row]:
    def register(write: Row) -> Row:
        TABLE.update((kind, write) for kind in kinds)
        return write

    return register


# Operands in the same order, no attributes: of the operator's own name in lower case, …
_SAME_NAME = (
    *("Exp", "Log", "Sqrt", "Sigmoid", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh"),
    *("Acosh", "Atanh", "Erf", "Reciprocal", "Ceil", "Floor", "Round", "Neg", "Abs", "Relu", "Selu", "Mish", "IsNaN"),
    *("MatMul", "HardSwish", "Softplus"),
)
SAME = {  # … or of another
    **{kind: f"{kind.lower()}.default" for kind in _SAME_NAME},
    **{kind: f"{kind.lower()}.Tensor" for kind in ("Add", "Sub", "Mul")},
    **{f"Bitwise{kind}": f"bitwise_{kind.lower()}.Tensor" for kind in ("And", "Or", "Xor")},
    **{kind: f"logical_{kind.lower()}.default" for kind in ("And", "Or", "Xor", "Not")},
    "BitwiseNot": "bitwise_not.default",
    "Identity": "clone.default",
    "Pow": "pow.Tensor_Tensor",
    "Where": "where.self",
    "Equal": "eq.Tensor",
    "Less": "lt.Tensor",
    "LessOrEqual": "le.Tensor",
    "Greater": "gt.Tensor",
    "GreaterOrEqual": "ge.Tensor",
}


@row(*SAME)
def same(case: Importer, node: Node, _: dict[str, Any]) -> None:
    case.last(node, SAME[node.op_type], *(case.value(name) for name in node.input))


@row("Sign")
def sign(case: Importer, node: Node, _: dict[str, Any]) -> None:
    case.last(node, "sgn.default", case.value(node.input[0]))


@row("Div")
def div(case: Importer, node: Node, _: dict[str, Any]) -> None:
    operands = [case.value(name) for name in node.input]
    if case.dtype(node.input[0]).startswith(("f", "bf")):
        case.last(node, "div.Tensor", *operands)
    else:
        case.last(node, "div.Tensor_mode", *operands, rounding_mode="trunc")


@row("Mod")
def mod(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    op = "fmod.Tensor" if attributes.get("fmod") else "remainder.Tensor"
    case.last(node, op, *(case.value(name) for name in node.input))


@row("Max", "Min")
def extremum(case: Importer, node: Node, _: dict[str, Any]) -> None:
    op = {"Max": "maximum.default", "Min": "minimum.default"}[node.op_type]
    result = case.value(node.input[0])
    for name in node.input[1:-1]:
        result = case.step(node, op, result, case.value(name))
    if len(node.input) == 1:
        case.last(node, "clone.default", result)
    else:
        case.last(node, op, result, case.value(node.input[-1]))


@row("Clip")
def clip(case: Importer, node: Node, _: dict[str, Any]) -> None:
    bounds = [case.array(name).item() if name else None for name in [*node.input[1:], "", ""][:2]]
    op = "clamp.default" if any(bound is not None for bound in bounds) else "clone.default"
    case.last(node, op, case.value(node.input[0]), *(bounds if op == "clamp.default" else []))


@row("Cast")
def cast(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    case.last(node, "_to_copy.default", case.value(node.input[0]), dtype=DTYPES[attributes["to"]])


@row("Constant")
def constant(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    if "value" in attributes:
        case.arrays[node.output[0]] = onnx.numpy_helper.to_array(attributes["value"])
        return
    kinds = {"value_float": np.float32, "value_floats": np.float32, "value_int": np.int64, "value_ints": np.int64}
    ((name, value),) = attributes.items()
    case.arrays[node.output[0]] = np.array(value, dtype=kinds[name])


@row("Shape")
def shape(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    sizes = case.shape(node.input[0])
    found = sizes[attributes.get("start", 0) : attributes.get("end", len(sizes))]
    case.arrays[node.output[0]] = np.array(found, dtype=np.int64)


@row("Reshape", "Flatten", "Unsqueeze", "Squeeze")
def reshape(case: Importer, node: Node, _: dict[str, Any]) -> None:
    case.last(node, "reshape.default", case.value(node.input[0]), case.shape(node.output[0]))


@row("Expand")
def expand(case: Importer, node: Node, _: dict[str, Any]) -> None:
    case.last(node, "expand_copy.default", case.value(node.input[0]), case.shape(node.output[0]))


@row("Tile")
def tile(case: Importer, node: Node, _: dict[str, Any]) -> None:
    case.last(node, "repeat.default", case.value(node.input[0]), case.integers(node.input[1]))


@row("Transpose")
def transpose(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    rank = len(case.shape(node.input[0]))
    order = list(attributes.get("perm", range(rank - 1, -1, -1)))
    case.last(node, "permute_copy.default", case.value(node.input[0]), order)


@row("Slice")
def slices(case: Importer, node: Node, _: dict[str, Any]) -> None:
    starts, ends = case.integers(node.input[1]), case.integers(node.input[2])
    given = [*node.input[3:], "", ""]
    axes = case.integers(given[0]) if given[0] else list(range(len(starts)))
    steps = case.integers(given[1]) if given[1] else [1] * len(starts)
    if min(steps, default=1) < 0:
        raise NoCounterpartError("a slice that runs backwards")
    result = case.value(node.input[0])
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        result = case.step(node, "slice.Tensor", result, axis, start, end, step)
    case.last(node, "clone.default", result)


@row("Concat")
def concat(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    case.last(node, "cat.default", [case.value(name) for name in node.input], attributes["axis"])


@row("Split")
def split(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    axis = attributes.get("axis", 0)
    sizes = [case.shape(name)[axis] for name in node.output]
    parts = case.step(node, "split_with_sizes_copy.default", case.value(node.input[0]), sizes, axis)
    for i, name in enumerate(node.output):
        case.emit(case.name(name), "getitem", parts, i)


@row("Gather")
def gather(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    axis = attributes.get("axis", 0) % len(case.shape(node.input[0]))
    case.last(node, "index.Tensor", case.value(node.input[0]), [None] * axis + [case.value(node.input[1])])


@row("GatherElements")
def gather_elements(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    case.last(node, "gather.default", case.value(node.input[0]), attributes.get("axis", 0), case.value(node.input[1]))


@row("Pad")
def pad(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    if attributes.get("mode", b"constant") != b"constant" or (len(node.input) > 3 and node.input[3]):
        raise NoCounterpartError("only constant pads of all dims are read")
    both = case.integers(node.input[1])
    rank = len(both) // 2
    pads = [number for dim in range(rank - 1, -1, -1) for number in (both[dim], both[dim + rank])]
    value = case.array(node.input[2]).item() if len(node.input) > 2 and node.input[2] else 0
    case.last(node, "constant_pad_nd.default", case.value(node.input[0]), pads, value)


REDUCTIONS = {"ReduceSum": "sum.dim_IntList", "ReduceMean": "mean.dim", "ReduceMax": "amax.default",
              "ReduceMin": "amin.default"}  # fmt: skip


@row(*REDUCTIONS)
def reduction(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    given = len(node.input) > 1 and node.input[1]
    axes = case.integers(node.input[1]) if given else list(attributes.get("axes", []))
    x = case.value(node.input[0])
    if not axes and attributes.get("noop_with_empty_axes"):
        return case.last(node, "clone.default", x)
    axes = axes or list(range(len(case.shape(node.input[0]))))
    more = {"dtype": case.dtype(node.input[0])} if node.op_type == "ReduceSum" else {}
    return case.last(node, REDUCTIONS[node.op_type], x, axes, bool(attributes.get("keepdims", 1)), **more)


@row("ArgMax", "ArgMin")
def arg_extremum(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    if attributes.get("select_last_index"):
        raise NoCounterpartError("the last of equal ones")
    op = f"{node.op_type.lower()}.default"
    keep = bool(attributes.get("keepdims", 1))
    case.last(node, op, case.value(node.input[0]), attributes.get("axis", 0), keep)


@row("Softmax", "LogSoftmax")
def softmax(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    op = {"Softmax": "softmax.int", "LogSoftmax": "log_softmax.int"}[node.op_type]
    case.last(node, op, case.value(node.input[0]), attributes.get("axis", -1))


@row("LeakyRelu", "Elu", "Celu")
def slopes(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    op, default = {"LeakyRelu": ("leaky_relu", 0.01), "Elu": ("elu", 1.0), "Celu": ("celu", 1.0)}[node.op_type]
    case.last(node, f"{op}.default", case.value(node.input[0]), attributes.get("alpha", default))


@row("Gelu")
def gelu(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    approximate = attributes.get("approximate", b"none").decode()
    case.last(node, "gelu.default", case.value(node.input[0]), approximate=approximate)


@row("Gemm")
def gemm(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    a, b = (
        case.step(node, "t_copy.default", case.value(name)) if attributes.get(flag) else case.value(name)
        for name, flag in zip(node.input, ("transA", "transB"), strict=False)
    )
    alpha, beta = attributes.get("alpha", 1.0), attributes.get("beta", 1.0)
    if len(node.input) > 2 and node.input[2]:
        case.last(node, "addmm.default", case.value(node.input[2]), a, b, beta=beta, alpha=alpha)
    elif alpha == 1:
        case.last(node, "mm.default", a, b)
    else:
        case.last(node, "mul.Scalar", case.step(node, "mm.default", a, b), alpha)


@row("Conv", "ConvTranspose")
def convolution(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    dims = len(case.shape(node.input[1])) - 2
    pads = list(attributes.get("pads", [0] * 2 * dims))
    if attributes.get("auto_pad", b"NOTSET") != b"NOTSET" or "output_shape" in attributes or pads[:dims] != pads[dims:]:
        raise NoCounterpartError("pads that are not the same on both sides")
    bias = case.value(node.input[2]) if len(node.input) > 2 and node.input[2] else None
    case.last(
        node,
        "convolution.default",
        case.value(node.input[0]),
        case.value(node.input[1]),
        bias,
        list(attributes.get("strides", [1] * dims)),
        pads[:dims],
        list(attributes.get("dilations", [1] * dims)),
        node.op_type == "ConvTranspose",
        list(attributes.get("output_padding", [0] * dims)),
        attributes.get("group", 1),
    )


@row("GlobalAveragePool")
def global_average(case: Importer, node: Node, _: dict[str, Any]) -> None:
    dims = list(range(2, len(case.shape(node.input[0]))))
    case.last(node, "mean.dim", case.value(node.input[0]), dims, True)


@row("LayerNormalization")
def layer_norm(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    if len([name for name in node.output if name]) > 1:
        raise NoCounterpartError("its mean and deviation are used")
    sizes = case.shape(node.input[0])
    bias = case.value(node.input[2]) if len(node.input) > 2 and node.input[2] else None
    normalized = sizes[attributes.get("axis", -1) % len(sizes) :]
    operands = (case.value(node.input[0]), normalized, case.value(node.input[1]), bias)
    case.last(node, "layer_norm.default", *operands, attributes.get("epsilon", 1e-5))


@row("BatchNormalization")
def batch_norm(case: Importer, node: Node, attributes: dict[str, Any]) -> None:
    if attributes.get("training_mode"):
        raise NoCounterpartError("it trains")
    x, scale, shift, mean, variance = (case.value(name) for name in node.input)
    epsilon = attributes.get("epsilon", 1e-5)
    case.last(node, "batch_norm.default", x, scale, shift, mean, variance, False, 0.1, epsilon, False)


def drawn(type_text: str, seed: int) -> list[Any]:
    """Example elements: quarters in [-4, 4], small integers, booleans."""
    dtype, _, sizes = type_text.rstrip("]").partition("[")
    count = int(np.prod([int(size) for size in sizes.split(",") if size], dtype=np.int64))
    numbers = np.random.default_rng(seed)
    if dtype in ("bool", "u8"):
        return numbers.integers(0, 2, count).tolist()
    return (numbers.integers(-16, 17, count) / 4).tolist() if "f" in dtype else numbers.integers(-4, 5, count).tolist()


def read_case(path: Path, feed_path: Path | None, seed: int) -> Json:
    try:
        model = onnx.load(path)
        if not model.ir_version:  # protobuf reads many a file that is none as a model without anything in it
            raise NoCounterpartError("this is no ONNX model")
        importer = Importer(model)
        given = json.loads(feed_path.read_text()) if feed_path else {}
    except NoCounterpartError:
        raise
    except Exception as error:  # whatever protobuf and the checker raise on what is no model
        raise NoCounterpartError(f"cannot be read: {' '.join(str(error).split())[:200]}") from error
    specs = importer.inputs.items()
    feed = {name: given.get(name, drawn(spec["type"], seed + i)) for i, (name, spec) in enumerate(specs)}
    return importer.case(path.stem, feed)


def main() -> int:
    parser = argparse.ArgumentParser(description="Prints an ONNX model as a case.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--input", type=Path, help="a JSON object: the elements of inputs by name, row by row")
    parser.add_argument("--seed", type=int, default=0, help="of the feed that is drawn")
    options = parser.parse_args()
    return answer_once(str(options.file), lambda: read_case(options.file, options.input, options.seed))


if __name__ == "__main__":
    sys.exit(main())
