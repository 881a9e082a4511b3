"""tvm: Apache TVM's relax, by its ONNX frontend, compiled for llvm on the CPU. ?optimization=none|all.

The same model with none is the control of a finding: no constant is folded and no operator fused.
"""

from __future__ import annotations

import os
import re
import warnings
from importlib.metadata import version

import numpy as np

os.environ.setdefault("TVM_NUM_THREADS", "1")  # read when the library is loaded

import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

from adapters.onnx.session import NUMPY_DTYPES, Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import DTYPES, Array
from adapters.worker.loop import serve
from adapters.worker.switches import Switch, declared, parse
from adapters.worker.system import Rejection, Stages, System

REJECTIONS = (
    Rejection(
        r"OpNotImplemented: The following operators are not supported for frontend ONNX",
        "relax/frontend/onnx/onnx_frontend.py: the operators that _get_convert_map has no converter for",
        stage="export",
    ),
    Rejection(
        r"NotImplementedError: Operator \w+ not implemented",
        "relax/frontend/onnx/onnx_frontend.py: it says so of an operator that nothing converts (RNN)",
        stage="export",
    ),
    Rejection(
        r"AssertionError: Missing outputs during conversion\. Expected \d+ but Got \d+ in \w+",
        "relax/frontend/onnx/onnx_frontend.py: a converter gives fewer results than the node has (MaxPool's indices)",
        stage="export",
    ),
    Rejection(
        r"ONNX Expand: Invalid target dimension 0",
        "relax/frontend/onnx/onnx_frontend.py: its Expand takes no dim without elements, and says so",
        stage="export",
    ),
    Rejection(
        r"Cannot broadcast symbolic dimension|Squeeze axis -?\d+ has a symbolic extent|Dynamic \w+ not yet supported",
        "relax/frontend/onnx/onnx_frontend.py: what it does not take of dims that are open, and says so",
        stage="export",
    ),
    Rejection(
        r"emit_te now only supports Tensor that has ShapeExpr shape",
        "relax/utils.py of TVM: an operator that is lowered by TE wants a shape that was inferred",
        stage="export",
    ),
    Rejection(
        r"unknown intrinsic .*name=\"tirx\.",
        "src/target/llvm/intrin_rule_llvm.cc: libm has what llvm has no intrinsic for, of f32 and f64",
        stage="lower",
    ),
)

PIPELINES = {"none": "default_build", "all": "default"}
SWITCHES = (Switch("optimization", ("all", "none")),)


def make(arguments: list[str]) -> System:
    pipeline = PIPELINES[parse(arguments, SWITCHES)["optimization"]]
    warnings.simplefilter("ignore")
    target = tvm.target.Target("llvm")

    def build(written: Written, stages: Stages) -> Program:
        with stages("export"):
            module = from_onnx(written.graph.model())
        with stages("lower"), tvm.transform.PassContext(opt_level=3):
            chosen = relax.get_pipeline(pipeline) if pipeline != "default" else "default"
            compiled = tvm.compile(module, target=target, relax_pipeline=chosen)
        dtypes = [value.dtype for value in written.graph.outputs]

        def start() -> Instance:
            machine = relax.VirtualMachine(compiled, tvm.cpu())

            def run(arrays: list[Array]) -> list[Array]:
                made = machine["main"](*(tvm.runtime.tensor(np.asarray(array, order="C")) for array in arrays))
                results = [made] if isinstance(made, tvm.runtime.Tensor) else list(made)
                return [read(one, dtype) for one, dtype in zip(results, dtypes, strict=True)]

            return run

        return Program(start)

    installed = version("apache-tvm")
    return make_system(
        "tvm",
        installed,
        NUMPY_DTYPES,
        "tvm",
        build,
        REJECTIONS,
        {"onnx": version("onnx")},
        explain,
        symbols=True,
        subgraphs=("cond",),  # relax/frontend/onnx/onnx_frontend.py has If alone
        more={"switches": declared(SWITCHES)},
    )


def explain(message: str, _: str) -> str:
    """Without the numbers of its bindings (lv47), which differ from graph to graph."""
    return re.sub(r"\b(lv|gv)\d+\b", r"\1", message)


def read(tensor: tvm.runtime.Tensor, dtype: str) -> Array:
    """A copy: what TVM gives may share memory with what it was given. Its boolean may be a byte."""
    data = np.array(tensor.numpy())
    return data.astype(DTYPES[dtype]) if dtype == "bool" else data


if __name__ == "__main__":
    serve(make)
