"""LiteRT's interpreter of a flatbuffer, on its own kernels or with the XNNPACK delegate. The targets that run on it
differ in which converter made the flatbuffer."""

from __future__ import annotations

from collections.abc import Callable

from ai_edge_litert.interpreter import Interpreter, OpResolverType

from adapters.worker.arrays import Array
from adapters.worker.switches import Settings, Switch
from adapters.worker.system import AdapterError, Rejection

REJECTIONS = (
    Rejection(
        r"Type \S+ is (currently )?not supported|(Unsupported|not supported) (data )?type|does not support type",
        "the builtin kernels of LiteRT name the element types that they have no code for",
    ),
    Rejection(
        r"Didn't find op for builtin opcode '\w+' version '\d+'",
        "the interpreter names the operation of the schema that it has no kernel of",
        stage="load",
    ),
)

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

SWITCHES = (Switch("kernels", ("optimized", "reference")), Switch("preserve", ("no", "yes")))


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


def delegated(model: bytes, settings: Settings) -> int:
    """How many partitions of the model the delegate takes."""
    return [one["op_name"] for one in load(model, True, settings)._get_ops_details()].count("DELEGATE")


def runner(interpreter: Interpreter, outputs: int) -> Callable[[list[Array]], list[Array]]:
    """By the names of the signature, "in_0" or "args_0": tensors are in an order of the converter's own."""
    if not interpreter.get_signature_list():
        raise AdapterError("the model has no signature")
    call = interpreter.get_signature_runner()
    names = list(call.get_input_details())

    def run(arrays: list[Array]) -> list[Array]:
        found = call(**{name: arrays[int(name.rpartition("_")[2])] for name in names})
        return [found[f"output_{i}"] for i in range(outputs)]

    return run
