"""mnn: MNN's CPU backend at high precision, of models that its own converter made out of ONNX.

--convert=ARGUMENT (repeatable) goes to the converter, as --convert=--convertMatmulToConv=0 does.
MNN is imported only after the worker has taken standard output for itself: MNN writes to it when it is loaded.
"""

from __future__ import annotations

import argparse
import contextlib
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from adapters.onnx.graph import Graph
from adapters.onnx.session import Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import DTYPES, Array
from adapters.worker.loop import serve
from adapters.worker.system import Rejection, Stages, System, UnsupportedError

REJECTIONS = (
    Rejection(
        r"These Op Not Support: ",
        "tools/converter/source/onnx of MNN: its converter has a file for each operator that it takes",
        stage="export",
    ),
    Rejection(
        r"\[ERROR\] Invalid ONNX Model:",
        "tools/converter/source/onnx/onnxConverter.cpp of MNN: a graph without nodes is refused",
        stage="export",
    ),
)

CONFIG = {"backend": "CPU", "precision": "high", "numThread": 1}
KINDS = {"f32": "float", "i32": "int", "i64": "int", "bool": "int", "u8": "uint8", "i8": "int8"}
CARRIED = {"f32": "f32", "i32": "i32", "i64": "i32", "bool": "i32", "u8": "u8", "i8": "i8"}  # MNN has 32 bits at most


class ConversionError(Exception):
    """The converter says no more than False; what it wrote to standard error is with the reply."""


class ForwardError(Exception):
    """The module answers a failure with fewer results."""


def refuse_normalization(graph: Graph) -> None:
    """The converter reads BatchNormalization's numbers where it builds its layer, and ends the process without them."""
    known = {"", *graph.initializers}
    for kind, operands, results, _ in graph.nodes:
        if kind == "BatchNormalization" and not known.issuperset(operands[1:]):
            raise UnsupportedError("BatchNormalization: MNN's converter wants its numbers in the model")
        if known.issuperset(operands):
            known.update(results)


def convert(model: bytes, arguments: list[str]) -> bytes:
    import _tools  # MNN.tools.mnnconvert, which calls it, installs a package for telemetry when it is imported

    # The converter keeps a file where it works, which stays there if it ends the process.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        source, made = Path(folder) / "case.onnx", Path(folder) / "case.mnn"
        source.write_bytes(model)
        flags = ["-f", "ONNX", "--modelFile", str(source), "--MNNModel", str(made), "--bizCode", "parallax"]
        done = _tools.mnnconvert(["mnnconvert", *flags, "--alignDenormalizedValue=0", *arguments])
        if not done or not made.exists():
            raise ConversionError("MNN's converter made no model")
        return made.read_bytes()


def load(model: bytes, inputs: list[str], outputs: list[str]) -> Any:
    from MNN import nn

    manager = nn.create_runtime_manager((CONFIG,))
    with tempfile.NamedTemporaryFile(suffix=".mnn") as file:
        file.write(model)
        file.flush()
        return nn.load_module_from_file(file.name, inputs, outputs, runtime_manager=manager)


def variable(array: Array, dtype: str) -> Any:
    from MNN import expr

    data = np.ascontiguousarray(array.astype(DTYPES[CARRIED[dtype]]))
    return expr.const(data, list(array.shape), expr.NCHW, getattr(expr, KINDS[dtype]))


def elements(result: Any) -> Array:
    """What a dense Var holds. One without elements cannot be read, but has sizes."""
    return np.empty(result.shape) if result.size == 0 else np.array(result.read())


def make(arguments: list[str]) -> System:
    parser = argparse.ArgumentParser()
    parser.add_argument("--convert", action="append", default=[])
    options = parser.parse_args(arguments)
    import MNN  # noqa: F401 - the converter's module is found only after it
    from MNN import expr

    def build(written: Written, stages: Stages) -> Program:
        if written.graph.holds_empty(written.graph.initializers.values()):
            raise UnsupportedError("an empty tensor: a Var without elements cannot be read")
        refuse_normalization(written.graph)
        with stages("export"):
            model = convert(written.graph.serialize(), options.convert)
        sources, results = written.graph.inputs, written.graph.outputs

        def start() -> Instance:
            with stages("lower"):
                module = load(model, [value.name for value in sources], [value.name for value in results])

            def run(arrays: list[Array]) -> list[Array]:
                given = [variable(array, value.dtype) for array, value in zip(arrays, sources, strict=True)]
                made = module.onForward(given)
                if len(made) != len(results):
                    raise ForwardError(f"the module gave {len(made)} results of {len(results)}")
                return [
                    elements(expr.convert(one, expr.NCHW)).astype(DTYPES[value.dtype])
                    for one, value in zip(made, results, strict=True)
                ]

            return run

        return Program(start)

    versions = {name: version(name) for name in ("numpy", "onnx")}
    return make_system("mnn", version("MNN"), ["f32"], "mnn", build, REJECTIONS, versions, symbols=True)


if __name__ == "__main__":
    serve(make)
