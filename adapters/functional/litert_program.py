"""The way of a case through LiteRT: TensorFlow's converter makes a flatbuffer of the traced function, and
ai-edge-litert's interpreter runs it. Its targets differ in whether the XNNPACK delegate takes what it can.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import version

import numpy as np

from adapters.functional.direct import direct, taken
from adapters.functional.tensorflow_program import single_thread, tf, traced
from adapters.functional.tensorflow_rows import TABLE
from adapters.litert.interpreter import DELEGATED, delegated, load, runner
from adapters.litert.interpreter import REJECTIONS as INTERPRETER_REJECTIONS
from adapters.litert.interpreter import SWITCHES as INTERPRETER_SWITCHES
from adapters.onnx.graph import Graph
from adapters.onnx.session import Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import Array
from adapters.worker.switches import Settings, Switch, declared, parse
from adapters.worker.system import Json, Rejection, Stages, System, UnsupportedError

FUNCTIONS = direct(TABLE)

REJECTIONS = (
    Rejection(
        r"Some ops are not supported by the native TFLite runtime|neither a custom op nor a flex op",
        "ai.google.dev/edge/litert/models/ops_compatibility: the converter names what is no builtin operation",
        stage="lower",
    ),
    Rejection(
        r"Value for attr 'T\w*' of \S+ is not in the list of allowed values|not in list of allowed values",
        "the registry of TensorFlow's operations lists the dtypes that each of them has",
        stage="export",
    ),
    *INTERPRETER_REJECTIONS,
)

DTYPES = ("bool", "u8", "i8", "i16", "i32", "i64", "f32")

SWITCHES = (*INTERPRETER_SWITCHES, Switch("unfold_batchmatmul", ("no", "yes")))
DEFAULTS: Settings = parse([], SWITCHES)


def convert(graph: Graph, settings: Settings) -> bytes:
    function = traced(graph)
    holder = tf.Module()
    holder.function = function
    converter = tf.lite.TFLiteConverter.from_concrete_functions([function], holder)
    converter.unfold_batchmatmul = settings["unfold_batchmatmul"] == "yes"
    return converter.convert()


def compile_graph(graph: Graph, delegate: bool) -> Callable[[list[Array]], list[Array]]:
    """With every switch at its default."""
    return runner(load(convert(graph, DEFAULTS), delegate, DEFAULTS), len(graph.outputs))


def make_litert(name: str, arguments: list[str], delegate: bool, profile: str) -> System:
    settings = parse(arguments, SWITCHES)
    single_thread()

    def build(written: Written, stages: Stages) -> Program:
        graph = written.graph
        facts: Json = {}
        if not all(np.isfinite(array).all() for array in graph.initializers.values() if array.dtype == np.float32):
            raise UnsupportedError("the converter takes an infinite constant for the largest number (issue 45312)")
        with stages("lower"):
            model = convert(graph, settings)
        if delegate:
            facts["delegated"] = delegated(model, settings)

        def start() -> Instance:
            with stages("load"):
                return runner(load(model, delegate, settings), len(graph.outputs))

        return Program(start, facts, keep=lambda folder: (folder / "model.tflite").write_bytes(model))

    return make_system(
        name,
        version("ai-edge-litert"),
        DTYPES,
        profile,
        build,
        REJECTIONS,
        versions={"tensorflow-cpu": version("tensorflow-cpu")},
        explain=explain,
        ops=taken(FUNCTIONS),
        more={
            "artifacts": True,
            "switches": declared(SWITCHES),
            **({"delegates": DELEGATED} if delegate else {}),
        },
        functions=FUNCTIONS,
    )


def explain(message: str, written: str) -> str:
    """The converter's first diagnostic: what it raises begins with where it was."""
    lines = [line.strip() for line in [*message.splitlines(), *written.splitlines()] if line.strip()]
    told = [line for line in lines if re.search(r"error: |Some ops are not supported", line)]
    return re.sub(r"^.*error: ", "", told[0]) + f"\n{message}" if told else message
