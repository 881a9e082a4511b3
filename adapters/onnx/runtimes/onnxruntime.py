"""onnxruntime: its CPU provider. --optimization=none|basic|extended|all is the graph optimization level.

The same model with none is the control of a finding: what differs between the two is an optimizer's doing.
"""

from __future__ import annotations

import argparse
from importlib.metadata import version

import onnxruntime

from adapters.onnx.session import NUMPY_DTYPES, Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.loop import serve
from adapters.worker.system import Rejection, Stages, System

REJECTIONS = (
    Rejection(
        r"NOT_IMPLEMENTED : Could not find an implementation for",
        "docs/OperatorKernels.md of onnxruntime: the CPU provider has kernels for some dtypes of an operator",
        stage="lower",
    ),
)

LEVELS = {
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}


def session(model: bytes, level: str) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = LEVELS[level]
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def make(arguments: list[str]) -> System:
    options = argparse.ArgumentParser()
    options.add_argument("--optimization", choices=LEVELS, default="all")
    level = options.parse_args(arguments).optimization

    def build(written: Written, stages: Stages) -> Program:
        model = written.graph.serialize()
        names = [value.name for value in written.graph.inputs]

        def start() -> Instance:
            with stages("lower"):
                loaded = session(model, level)
            given = [one.name for one in loaded.get_inputs()]
            return lambda arrays: loaded.run(
                None, {name: array for name, array in zip(names, arrays, strict=True) if name in given}
            )

        return Program(start)

    return make_system(
        "onnxruntime",
        version("onnxruntime"),
        NUMPY_DTYPES,
        "onnxruntime",
        build,
        REJECTIONS,
        {"onnx": version("onnx")},
        symbols=True,
    )


if __name__ == "__main__":
    serve(make)
