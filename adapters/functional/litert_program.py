"""The way of a case through LiteRT: TensorFlow's converter makes a flatbuffer of the traced function, and
ai-edge-litert's interpreter runs it. Its targets differ in whether the XNNPACK delegate takes what it can.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType

from adapters.functional.direct import direct, taken
from adapters.functional.tensorflow_program import single_thread, tf, traced
from adapters.functional.tensorflow_rows import TABLE
from adapters.onnx.graph import Graph
from adapters.onnx.session import Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import Array
from adapters.worker.switches import Settings, Switch, declared, parse
from adapters.worker.system import AdapterError, Json, Rejection, Stages, System, UnsupportedError

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
    Rejection(
        r"Type \S+ is (currently )?not supported|(Unsupported|not supported) (data )?type|does not support type",
        "the builtin kernels of LiteRT name the element types that they have no code for",
    ),
)

DTYPES = ("bool", "u8", "i8", "i16", "i32", "i64", "f32")

# What XNNPACK's delegate takes in f32, at most four dims.
DELEGATED = {
    "ops": [
        f"aten.{name}"
        for name in (
            *("add.Tensor", "sub.Tensor", "mul.Tensor", "div.Tensor", "maximum.default", "minimum.default"),
            *("abs.default", "neg.default", "exp.default", "sqrt.default", "relu.default", "sigmoid.default"),
            *("tanh.default", "floor.default", "ceil.default", "clamp.default", "leaky_relu.default", "elu.default"),
            *("softmax.int", "mean.dim", "sum.dim_IntList", "conv2d.default", "avg_pool2d.default", "gelu.default"),
            *("max_pool2d.default", "permute.default", "view.default", "slice.Tensor", "cat.default", "mm.default"),
            *("constant_pad_nd.default", "bmm.default", "linear.default", "hardswish.default", "square.default"),
        )
    ],
    "dtypes": ["f32"],
}


SWITCHES = (
    Switch("kernels", ("optimized", "reference")),
    Switch("preserve", ("no", "yes")),
    Switch("unfold_batchmatmul", ("no", "yes")),
)
DEFAULTS: Settings = parse([], SWITCHES)


def convert(graph: Graph, settings: Settings) -> bytes:
    function = traced(graph)
    holder = tf.Module()
    holder.function = function
    converter = tf.lite.TFLiteConverter.from_concrete_functions([function], holder)
    converter.unfold_batchmatmul = settings["unfold_batchmatmul"] == "yes"
    return converter.convert()


def load(model: bytes, delegate: bool, settings: Settings) -> Interpreter:
    kind = OpResolverType.BUILTIN if delegate else OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    interpreter = Interpreter(
        model_content=model,
        num_threads=1,
        experimental_op_resolver_type=OpResolverType.BUILTIN_REF if settings["kernels"] == "reference" else kind,
        experimental_preserve_all_tensors=settings["preserve"] == "yes",
    )
    interpreter.allocate_tensors()
    return interpreter


def runner(interpreter: Interpreter, outputs: int) -> Callable[[list[Array]], list[Array]]:
    """By the names of the signature: tensors are in an order of the converter's own."""
    if not interpreter.get_signature_list():
        raise AdapterError("the model has no signature")
    call = interpreter.get_signature_runner()
    names = list(call.get_input_details())

    def run(arrays: list[Array]) -> list[Array]:
        found = call(**{name: arrays[int(name.removeprefix("in_"))] for name in names})
        return [found[f"output_{i}"] for i in range(outputs)]

    return run


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
            kinds = [one["op_name"] for one in load(model, delegate, settings)._get_ops_details()]
            facts["delegated"] = kinds.count("DELEGATE")

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
