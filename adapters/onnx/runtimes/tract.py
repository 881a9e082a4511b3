"""tract: sonos/tract's Python module, its ONNX models run on the CPU.

It has no way to run a model that it has not optimized.
"""

from __future__ import annotations

import os
import re
import tempfile
from importlib.metadata import version
from pathlib import Path

import numpy as np

os.environ["RUST_BACKTRACE"] = "0"  # else each message carries one

import tract

from adapters.onnx.session import NUMPY_DTYPES, Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import Array
from adapters.worker.loop import serve
from adapters.worker.switches import parse
from adapters.worker.system import Rejection, Stages, System

REJECTIONS = (
    Rejection(
        r"Unimplemented\(|unimplemented operator|[Uu]nsupported ONNX operator",
        "onnx/src/ops/mod.rs of tract: the operators that its registry has no builder for",
    ),
    Rejection(
        r"Params are not const",
        "onnx/src/ops/nn/batch_norm.rs of tract: the parameters of a BatchNormalization have to be constants",
    ),
    Rejection(
        r"y_scale must be a const",
        "onnx/src/ops/quant.rs of tract: the scale of a QuantizeLinear has to be a constant",
    ),
    Rejection(
        r"\w+ does not support (F16|F64|[IU]\d+|Bool)\b|Bool is not a number",
        "core/src/ops/element_wise.rs and binary.rs of tract: an op lists the dtypes that it has a kernel for",
    ),
    Rejection(
        r"Element wise eval in-place not defined"
        r'|Failed analyse for node #\d+ "[^"]*" Is(Nan|Inf)\b[\s\S]*Impossible to unify Bool with F64'
        r'|Failed analyse for node #\d+ "[^"]*" Iff\b[\s\S]*Impossible to unify F64 with Bool',  # that asks for IsNaN
        "core/src/ops/math/mod.rs of tract: IsInf and IsNaN have kernels for f16 and f32 alone",
    ),
    Rejection(
        r"Streaming dimensions with strides are not supported for now",
        "tract's StridedSlice says so by name: no step over an open dim",
    ),
)


def make(arguments: list[str]) -> System:
    parse(arguments, ())
    loader = tract.onnx()

    def build(written: Written, stages: Stages) -> Program:
        with tempfile.TemporaryDirectory() as folder, stages("export"):
            file = Path(folder) / "case.onnx"  # it loads from a path alone
            file.write_bytes(written.graph.serialize())
            model = loader.load(file).into_model()
        with stages("lower"):
            runnable = model.into_runnable()

        def start() -> Instance:
            def run(arrays: list[Array]) -> list[Array]:
                return [one.to_numpy() for one in runnable.run([np.asarray(array, order="C") for array in arrays])]

            return run

        return Program(start)

    installed = version("tract")
    return make_system(
        "tract", installed, NUMPY_DTYPES, "tract", build, REJECTIONS, {"onnx": version("onnx")}, explain,
        symbols=True, subgraphs=("cond", "scan", "map"), quantized=True,
    )  # fmt: skip


def explain(message: str, _: str) -> str:
    """The innermost cause first: the outer ones say which pass and which node. A patch printed whole is no cause."""
    outer, _, causes = message.partition("\n\nCaused by:\n")
    lines = [re.sub(r"^ {4}(\d+: )?", "", line) for line in causes.splitlines() if re.match(r" {4}(\d+: )?\S", line)]
    plain = [line for line in lines if not line.startswith("ModelPatch {")]
    return f"{plain[-1]} ({outer})" if plain else message


if __name__ == "__main__":
    serve(make)
