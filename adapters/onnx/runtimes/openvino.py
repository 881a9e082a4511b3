"""openvino: OpenVINO's CPU plugin, its inference precision set to f32 (else it may compute in bf16).

With ?cache=warm the first instance is compiled into an empty cache folder, and the fresh one is loaded from it.
"""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path

import numpy as np
import openvino

from adapters.onnx.session import Instance, Program, make_system
from adapters.onnx.writer import MoreFunctions, Written
from adapters.worker.arrays import DTYPES, Array
from adapters.worker.loop import serve
from adapters.worker.switches import declared, parse
from adapters.worker.system import Rejection, Stages, System, UnsupportedError
from adapters.worker.warm_cache import CACHE, WarmCache, check_loaded

REJECTIONS = (
    Rejection(
        r"Doesn't support dynamic weights shape",
        "intel_cpu/src/nodes/conv.cpp of OpenVINO says so by name: the sizes of a convolution's weights are known",
        stage="lower",
    ),
    Rejection(
        r"OpenVINO does not support the following ONNX operations",
        "the list of supported operations of OpenVINO's ONNX frontend",
        stage="lower",
    ),
    Rejection(
        r"`data` and `indices` must have equal or intersecting dimensions, except for the dimension at axis index",
        "OpenVINO's specification of GatherElements: the indices' sizes are the data's, but for the axis",
        stage="export",
    ),
    Rejection(
        r"No nested TensorIterator",
        "src/core/src/op/tensor_iterator.cpp of OpenVINO says so by name: the body of a Scan holds no Scan",
        stage="export",
    ),
    Rejection(
        # Only of data that has a dim of 0: where there is room for the pads, its sizes were inferred wrongly.
        r"\{\[(\d+,)*0[,\]].*\n\s*REFLECT padding mode requires",
        "OpenVINO's specification of Pad: a reflected pad is at most the dim less one, where the dim is 0 none is",
        stage="export",
    ),
)

OPTIONS = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}


def make(arguments: list[str]) -> System:
    warm = parse(arguments, (CACHE,))["cache"] == "warm"
    core = openvino.Core()

    def build(written: Written, stages: Stages) -> Program:
        if any(map(holds_subnormal, written.graph.initializers.values())):
            raise UnsupportedError("the CPU plugin takes subnormal constants for 0 (intel_cpu/src/nodes/input.cpp)")
        with stages("export"):
            model = core.read_model(written.graph.serialize())
        cache = WarmCache()

        def compiled_in(folder: Path | None) -> openvino.CompiledModel:
            with stages("lower"):
                return core.compile_model(model, "CPU", OPTIONS | ({"CACHE_DIR": str(folder)} if folder else {}))

        compiled = None if warm else compiled_in(None)
        names = [value.name for value in written.graph.inputs]
        results = [(value.dtype, value.shape) for value in written.graph.outputs]

        def instance_of(compiled: openvino.CompiledModel) -> Instance:
            request = compiled.create_infer_request()
            kept = {name for port in compiled.inputs for name in port.names}

            def run(arrays: list[Array]) -> list[Array]:
                given = {name: array for name, array in zip(names, arrays, strict=True) if name in kept}
                request.infer({name: openvino.Tensor(array) for name, array in given.items()})
                return [result_of(request, i, dtype) for i, (dtype, _) in enumerate(results)]

            return run

        def start_warm() -> Instance:
            loaded = compiled_in(cache.filled())
            check_loaded(loaded.get_property("LOADED_FROM_CACHE"))
            return instance_of(loaded)

        if warm:
            return Program(lambda: instance_of(compiled_in(cache.empty())), start_warm=start_warm)
        return Program(lambda: instance_of(compiled))

    installed = version("openvino")
    dtypes = ["bool", "u8", "i8", "i16", "i32", "i64", "f16", "f32"]
    return make_system(
        "openvino", installed, dtypes, "openvino", build, REJECTIONS, {"onnx": version("onnx")}, explain,
        symbols=True, subgraphs=True, quantized=True, functions=MoreFunctions(captures=False),
        more={"switches": declared((CACHE,))},
    )  # fmt: skip


def explain(message: str, _: str) -> str:
    """The innermost cause first: it comes last, behind the places that it went through and before a summary."""
    lines = [line.strip() for line in message.partition("\nSummary:")[0].splitlines() if line.strip()]
    return f"{lines[-1]}\n{message}" if len(lines) > 1 else message


def holds_subnormal(array: Array) -> bool:
    return array.dtype == np.float32 and bool(((array != 0) & (np.abs(array) < np.finfo(np.float32).tiny)).any())


def result_of(request: openvino.InferRequest, index: int, dtype: str) -> Array:
    """A copy: the request writes into the same memory at its next run. OpenVINO's boolean is a byte."""
    tensor = request.get_output_tensor(index)
    if 0 in tensor.shape:  # its data says that it has no dims
        return np.empty(tuple(tensor.shape), dtype=DTYPES[dtype])
    data = np.array(tensor.data)
    return data.astype(DTYPES[dtype]) if dtype == "bool" and data.dtype in (np.uint8, np.int8) else data


if __name__ == "__main__":
    serve(make)
