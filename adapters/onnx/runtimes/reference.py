"""onnx-reference: the evaluator of the onnx package, which runs a model node by node in numpy. ?integers=operators has
quantized products written as QLinearConv and its like."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from onnx.reference import ReferenceEvaluator

from adapters.onnx.integer_operators import INTEGERS, facts_of
from adapters.onnx.session import NUMPY_DTYPES, Instance, Program, copy_of, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import Array
from adapters.worker.loop import serve
from adapters.worker.switches import declared, parse
from adapters.worker.system import Rejection, Stages, System

SWITCHES = (INTEGERS,)
REJECTIONS = (
    Rejection(
        r"RuntimeError: Unknown activation function",
        "onnx/reference/ops/op_rnn.py: the evaluator's RNN has no Relu",
    ),
    Rejection(
        r"NotImplementedError|NotImplemented",
        "the evaluator raises it where it has no implementation of an operator or of an attribute",
    ),
)


def make(arguments: list[str]) -> System:
    settings = parse(arguments, SWITCHES)

    def build(written: Written, stages: Stages) -> Program:
        facts = facts_of(written.graph, settings)
        model = written.graph.serialize()
        names = [value.name for value in written.graph.inputs]
        results = [value.dtype for value in written.graph.outputs]

        def start() -> Instance:
            with stages("lower"):
                evaluator = ReferenceEvaluator(model)

            def run(arrays: list[Array]) -> list[Array]:
                given = {name: array.copy() for name, array in zip(names, arrays, strict=True)}
                with np.errstate(all="ignore"):
                    found = evaluator.run(None, given)
                return [copy_of(value, dtype) for value, dtype in zip(found, results, strict=True)]

            return run

        return Program(start, facts)

    versions = {"numpy": version("numpy")}
    return make_system(
        "onnx", version("onnx"), NUMPY_DTYPES, "onnx-reference", build, REJECTIONS, versions,
        symbols=True, subgraphs=True, quantized=True, more={"switches": declared(SWITCHES)},
    )  # fmt: skip


if __name__ == "__main__":
    serve(make)
