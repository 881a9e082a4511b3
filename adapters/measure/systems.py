"""The systems that profile.py can measure: for each a function that makes one of their programs out of a name.

A builder takes an operation's name, a dtype and sample operands, and gives a callable of such operands. bf16 crosses as
the bits of its numbers in uint16 (functions.py). It raises what the system raises where that has no such
operation. One thread, and dynamic sizes of 1-dimensional operands, so that one program takes every size.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Array = np.ndarray
Program = Callable[..., Array]
Builder = Callable[[str, str, list[Array]], Program]

# As torch.onnx spells those that ONNX has no operator for. `one` is 1 in the operand's dtype; "@" makes more of those.
ONNX = {
    "division": "y = Div(x, x1)",
    "sqrt": "y = Sqrt(x)",
    "rsqrt": "t = Sqrt(x) y = Reciprocal(t)",
    "exp": "y = Exp(x)",
    "exp2": "@two=2.0 y = Pow(two, x)",
    "expm1": "@one=1.0 t = Exp(x) y = Sub(t, one)",
    "log": "y = Log(x)",
    "log2": "@base=0.6931471805599453 t = Log(x) y = Div(t, base)",
    "log10": "@base=2.302585092994046 t = Log(x) y = Div(t, base)",
    "log1p": "@one=1.0 t = Add(x, one) y = Log(t)",
    **{name: f"y = {name.capitalize()}(x)" for name in ("sin", "cos", "tan", "asin", "acos", "atan", "erf", "tanh")},
    **{name: f"y = {name.capitalize()}(x)" for name in ("sinh", "cosh", "asinh", "acosh", "atanh", "sigmoid", "relu")},
    "power": "y = Pow(x, x1)",
    "gelu": "y = Gelu(x)",
    "gelu_tanh": 'y = Gelu<approximate: string = "tanh">(x)',
    "softmax": "y = Softmax<axis: int = -1>(x)",
    "add": "y = Add(x, x1)",
    "multiply": "y = Mul(x, x1)",
    "maximum": "y = Max(x, x1)",
    "minimum": "y = Min(x, x1)",
    "clamp": "@low=-1.0 @high=1.0 y = Clip(x, low, high)",
    "amax": "axes = Constant<value = int64[1] {1}>() y = ReduceMax<keepdims: int = 0>(x, axes)",
    "sum": "axes = Constant<value = int64[1] {1}>() y = ReduceSum<keepdims: int = 0>(x, axes)",
    "mean": "axes = Constant<value = int64[1] {1}>() y = ReduceMean<keepdims: int = 0>(x, axes)",
    "matmul": "y = MatMul(x, x1)",
    "convolution": "y = Conv<pads: ints = [1, 1, 1, 1]>(x, x1)",
    "layer_norm": "y = LayerNormalization(x, x1)",
    "cast_up": "t = Cast<to: int = 1>(x) y = Exp(t)",
    "cast_down_up": "t = Cast<to: int = 10>(x) y = Cast<to: int = 1>(t)",
}
ONNX_DTYPES = {"f16": "float16", "bf16": "bfloat16", "f32": "float", "f64": "double"}


def onnx_model(operation: str, dtype: str, operands: list[Array]) -> Any:
    import onnx.parser
    import onnx.shape_inference

    if operation not in ONNX:
        raise NotImplementedError(f"ONNX has no {operation}")
    body = []
    for word in ONNX[operation].split():
        name, _, value = word[1:].partition("=")
        constant = f"{name}_d = Constant<value = double {{{value}}}>() {name} = CastLike({name}_d, x)"
        body.append(constant if word.startswith("@") else word)
    kind = ONNX_DTYPES[dtype]
    shapes = ["N" if operand.ndim == 1 else ",".join(map(str, operand.shape)) for operand in operands]
    inputs = ", ".join(f"{kind}[{shape}] {name}" for shape, name in zip(shapes, ("x", "x1"), strict=False))
    rank = operands[0].ndim - (operation in ("amax", "sum", "mean"))
    output = f"{'float' if operation == 'cast_up' else kind}[{','.join('RSTU'[:rank])}] y"
    text = f'<ir_version: 10, opset_import: ["" : 20]> g ({inputs}) => ({output}) {{ {" ".join(body)} }}'
    return onnx.shape_inference.infer_shapes(onnx.parser.parse_model(text))


def onnxruntime(operation: str, dtype: str, operands: list[Array]) -> Program:
    import onnxruntime as runtime

    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    model = onnx_model(operation, dtype, operands).SerializeToString()
    session = runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return lambda *arrays: session.run(None, dict(zip(("x", "x1"), arrays, strict=False)))[0]


def openvino(operation: str, dtype: str, operands: list[Array]) -> Program:
    import openvino as ov

    core = ov.Core()
    options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    model = core.read_model(onnx_model(operation, dtype, operands).SerializeToString())
    request = core.compile_model(model, "CPU", options).create_infer_request()

    def tensor(array: Array) -> Any:
        array = np.ascontiguousarray(array)
        return ov.Tensor(array, array.shape, ov.Type.bf16) if dtype == "bf16" else ov.Tensor(array)

    def run(*arrays: Array) -> Array:
        request.infer([tensor(array) for array in arrays])
        data = request.get_output_tensor().data.copy()
        return data.view(np.uint16) if dtype == "bf16" and data.dtype != np.float32 else data

    return run


def iree(operation: str, dtype: str, operands: list[Array]) -> Program:
    import iree.compiler
    import iree.compiler.ir
    import iree.runtime
    import ml_dtypes
    from iree.compiler.extras import onnx_importer

    model = onnx_importer.ModelInfo(onnx_model(operation, dtype, operands))
    module = model.create_module(context=iree.compiler.ir.Context()).operation
    onnx_importer.NodeImporter.define_function(model.main_graph, module).import_all()
    options = {"target_backends": ["llvm-cpu"], "extra_args": ["--iree-llvmcpu-target-cpu=host"]}
    binary = iree.compiler.compile_str(str(module), input_type="onnx", **options)
    config = iree.runtime.Config("local-sync")
    loaded = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, binary), config)

    def run(*arrays: Array) -> Array:
        numbers = [array.view(ml_dtypes.bfloat16) if dtype == "bf16" else array for array in arrays]
        data = np.asarray(loaded["g"](*numbers).to_host())
        return data.view(np.uint16) if dtype == "bf16" and data.dtype != np.float32 else data

    return run


def tract(operation: str, dtype: str, operands: list[Array]) -> Program:
    import tempfile

    import tract as library

    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(onnx_model(operation, dtype, operands).SerializeToString())
        file.flush()
        model = library.onnx().load(file.name).into_model().into_runnable()
    return lambda *arrays: model.run([np.ascontiguousarray(array) for array in arrays])[0].to_numpy()


def tvm(operation: str, dtype: str, operands: list[Array]) -> Program:
    import tvm as library
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx

    module = from_onnx(onnx_model(operation, dtype, operands))
    machine = relax.VirtualMachine(library.compile(module, target=library.target.Target("llvm")), library.cpu())
    return lambda *arrays: machine["main"](*map(library.runtime.tensor, map(np.ascontiguousarray, arrays))).numpy()


def torch_functions() -> dict[str, Callable[..., Any]]:
    import torch
    from torch.nn import functional

    names = "sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh "
    names += "atanh sigmoid erf lgamma digamma relu add multiply maximum minimum matmul"
    return {
        **{name: getattr(torch, name) for name in names.split()},
        "division": torch.div,
        "power": torch.pow,
        "gelu": functional.gelu,
        "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
        "softmax": lambda x: torch.softmax(x, -1),
        "clamp": lambda x: torch.clamp(x, -1, 1),
        "amax": lambda x: torch.amax(x, 1),
        "sum": lambda x: torch.sum(x, 1),
        "mean": lambda x: torch.mean(x, 1),
        "convolution": lambda x, w: functional.conv2d(x, w, padding=1),
        "layer_norm": lambda x, w: functional.layer_norm(x, w.shape, w),
        "cast_up": lambda x: torch.exp(x.float()),
        "cast_down_up": lambda x: x.to(torch.float16).to(torch.float32),
    }


def as_tensor(array: Array, dtype: str) -> Any:
    import torch

    if dtype == "bf16":
        return torch.from_numpy(array.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(np.ascontiguousarray(array))


def as_array(tensor: Any) -> Array:
    import torch

    return tensor.view(torch.int16).numpy().view(np.uint16) if tensor.dtype == torch.bfloat16 else tensor.numpy()


def torch_compile(operation: str, dtype: str, operands: list[Array]) -> Program:
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    import torch

    torch.set_num_threads(1)
    torch._dynamo.reset()
    compiled = torch.compile(torch_functions()[operation], dynamic=operands[0].ndim == 1, fullgraph=True)

    return lambda *arrays: as_array(compiled(*(as_tensor(array, dtype) for array in arrays)))


def executorch_xnnpack(operation: str, dtype: str, operands: list[Array]) -> Program:
    """What XNNPACK's partitioner does not take is no operation of the system: ExecuTorch's own kernels would answer."""
    import torch
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower
    from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

    function = torch_functions()[operation]
    # A program knows the sizes of its inputs, and reads its buffer as long as it lives.
    programs: dict[tuple[Any, ...], tuple[Any, bytes]] = {}

    class Module(torch.nn.Module):
        def forward(self, *tensors: Any) -> Any:
            return function(*tensors)

    def program(tensors: list[Any]) -> tuple[Any, bytes]:
        exported = torch.export.export(Module(), tuple(tensors), strict=False)
        edge = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])
        calls = [str(n.target) for n in edge.exported_program().graph.nodes if n.op == "call_function"]
        if not any("executorch_call_delegate" in call for call in calls):
            raise NotImplementedError(f"XNNPACK does not take {operation}")
        buffer = edge.to_executorch().buffer
        return _load_for_executorch_from_buffer(buffer), buffer

    def run(*arrays: Array) -> Array:
        tensors = [torch.from_numpy(np.ascontiguousarray(array)) for array in arrays]
        key = tuple(array.shape for array in arrays)
        if key not in programs:
            programs[key] = program(tensors)
        return programs[key][0].run_method("forward", tuple(tensors))[0].numpy().copy()

    run(*operands)
    return run


# Operations as calls of ATen, for a system that is given cases; "%x" and "%x1" are the operands.
ATEN: dict[str, tuple[str, list[Any]]] = {
    **{name: (f"{name}.default", ["%x"]) for name in ("sqrt", "rsqrt", "exp", "exp2", "expm1", "log", "log2", "log10")},
    **{name: (f"{name}.default", ["%x"]) for name in ("log1p", "sin", "cos", "tan", "asin", "acos", "atan", "tanh")},
    **{name: (f"{name}.default", ["%x"]) for name in ("sinh", "cosh", "asinh", "acosh", "atanh")},
    **{name: (f"{name}.default", ["%x"]) for name in ("sigmoid", "erf", "relu", "lgamma", "digamma")},
    "division": ("div.Tensor", ["%x", "%x1"]),
    "power": ("pow.Tensor_Tensor", ["%x", "%x1"]),
    "gelu": ("gelu.default", ["%x"]),
    "softmax": ("softmax.int", ["%x", -1]),
    "add": ("add.Tensor", ["%x", "%x1"]),
    "multiply": ("mul.Tensor", ["%x", "%x1"]),
    "maximum": ("maximum.default", ["%x", "%x1"]),
    "minimum": ("minimum.default", ["%x", "%x1"]),
    "clamp": ("clamp.default", ["%x", -1, 1]),
    "amax": ("amax.default", ["%x", [1]]),
    "sum": ("sum.dim_IntList", ["%x", [1]]),
    "mean": ("mean.dim", ["%x", [1]]),
    "matmul": ("matmul.default", ["%x", "%x1"]),
    "convolution": ("conv2d.default", ["%x", "%x1", None, [1, 1], [1, 1]]),
}  # fmt: skip


def aten_case(operation: str, dtype: str, operands: list[Array]) -> dict[str, Any]:
    """The graph of a case that is one call of ATen."""
    named = {}
    if operation == "layer_norm":
        op, arguments = "layer_norm.default", ["%x", list(operands[1].shape), "%x1"]
    elif operation == "gelu_tanh":
        op, arguments, named = "gelu.default", ["%x"], {"approximate": "tanh"}
    elif operation in ("cast_up", "cast_down_up"):
        return aten_cast(operation, dtype, operands)
    elif operation in ATEN:
        op, arguments = ATEN[operation]
    else:
        raise NotImplementedError(f"no call of ATen is listed for {operation}")
    types = (f"{dtype}[{','.join(map(str, operand.shape))}]" for operand in operands)
    inputs = {name: {"type": text} for name, text in zip(("x", "x1"), types, strict=False)}
    node = {"out": "y", "op": f"aten.{op}", "args": arguments, "kwargs": named}
    return {"inputs": inputs, "nodes": [node], "outputs": ["%y"]}


def aten_cast(operation: str, dtype: str, operands: list[Array]) -> dict[str, Any]:
    """The exponential of what is cast to f32, or a cast to f16 and back."""
    cast = "aten._to_copy.default"
    nodes = [{"out": "t", "op": cast, "args": ["%x"], "kwargs": {"dtype": "f16"}}]
    if operation == "cast_up":
        nodes[0]["kwargs"] = {"dtype": "f32"}
        nodes.append({"out": "y", "op": "aten.exp.default", "args": ["%t"], "kwargs": {}})
    else:
        nodes.append({"out": "y", "op": cast, "args": ["%t"], "kwargs": {"dtype": "f32"}})
    text = f"{dtype}[{','.join(map(str, operands[0].shape))}]"
    return {"inputs": {"x": {"type": text}}, "nodes": nodes, "outputs": ["%y"]}


def each_size(make: Callable[[list[Array]], Program], operands: list[Array]) -> Program:
    """For programs that know the sizes of their inputs: one is made for each that is met."""
    programs: dict[tuple[Any, ...], Program] = {}

    def run(*arrays: Array) -> Array:
        key = tuple(array.shape for array in arrays)
        if key not in programs:
            programs[key] = make(list(arrays))
        return programs[key](*arrays)

    run(*operands)
    return run


def ncnn(operation: str, dtype: str, operands: list[Array], vulkan: bool = False) -> Program:
    from adapters.ncnn.pipeline import load, open_device, runner
    from adapters.ncnn.writer import write_net
    from adapters.onnx.writer import write

    if vulkan:
        open_device()

    def program(arrays: list[Array]) -> Program:
        graph = write(aten_case(operation, dtype, arrays)).graph
        files = write_net(graph)
        once = runner(load(files, vulkan=vulkan, packing=True), files, [value.shape for value in graph.outputs])
        return lambda *given: once(list(given))[0].copy()

    return each_size(program, operands)


def ncnn_vulkan(operation: str, dtype: str, operands: list[Array]) -> Program:
    return ncnn(operation, dtype, operands, vulkan=True)


def tinygrad(operation: str, dtype: str, operands: list[Array]) -> Program:
    """Each size is a kernel of its own, which clang compiles when it is first met."""
    os.environ.update(DEV="CPU:CLANG", CACHELEVEL="0", NUM_CPU_THREADS="1")
    import tinygrad as system
    from tinygrad.nn.onnx import OnnxRunner

    if dtype == "bf16":
        raise NotImplementedError("numpy has no bf16 to hand over")
    model = onnx_model(operation, dtype, operands).SerializeToString()
    runner = OnnxRunner(system.Tensor(model, device="PYTHON"))

    def run(*arrays: Array) -> Array:
        runner.variable_dims.clear()  # it keeps the size that it met first
        tensors = [system.Tensor(np.array(array, order="C")) for array in arrays]
        return next(iter(runner(dict(zip(("x", "x1"), tensors, strict=False))).values())).numpy()

    return run


def opencv(operation: str, dtype: str, operands: list[Array]) -> Program:
    import argparse

    import cv2

    from adapters.onnx.runtimes.opencv import read
    from adapters.onnx.writer import write

    cv2.setNumThreads(1)
    options = argparse.Namespace(engine="new", fusion="on", winograd="on")

    def program(arrays: list[Array]) -> Program:
        graph = write(aten_case(operation, dtype, arrays)).graph
        net = read(graph.serialize(), options)

        def run(*given: Array) -> Array:
            for value, array in zip(graph.inputs, given, strict=True):
                net.setInput(np.ascontiguousarray(array), value.name)
            return np.array(net.forward([graph.outputs[0].name])[0]).reshape(graph.outputs[0].shape)

        return run

    return each_size(program, operands)


def mnn(operation: str, dtype: str, operands: list[Array]) -> Program:
    import MNN  # noqa: F401 - the converter's module is found only after it
    from MNN import expr

    from adapters.onnx.runtimes.mnn import convert, load, variable
    from adapters.onnx.writer import write

    def program(arrays: list[Array]) -> Program:
        graph = write(aten_case(operation, dtype, arrays)).graph
        names = ([value.name for value in values] for values in (graph.inputs, graph.outputs))
        module = load(convert(graph.serialize(), []), *names)

        def run(*given: Array) -> Array:
            made = module.onForward([variable(array, dtype) for array in given])[0]
            return np.array(expr.convert(made, expr.NCHW).read())

        return run

    return each_size(program, operands)


def jax(operation: str, dtype: str, operands: list[Array]) -> Program:
    from adapters.functional.jax_xla import FUNCTIONS, compile_graph
    from adapters.onnx.writer import write

    def program(arrays: list[Array]) -> Program:
        run = compile_graph(write(aten_case(operation, dtype, arrays), FUNCTIONS).graph)
        return lambda *given: run(list(given))[0]

    return each_size(halves_as_bits(program, dtype), operands)


def tensorflow(operation: str, dtype: str, operands: list[Array], jit: bool = False) -> Program:
    from adapters.functional.tensorflow_program import FUNCTIONS, compile_graph
    from adapters.onnx.writer import write

    def program(arrays: list[Array]) -> Program:
        run = compile_graph(write(aten_case(operation, dtype, arrays), FUNCTIONS).graph, jit)
        return lambda *given: run(list(given))[0]

    return each_size(halves_as_bits(program, dtype), operands)


def tensorflow_xla(operation: str, dtype: str, operands: list[Array]) -> Program:
    return tensorflow(operation, dtype, operands, jit=True)


def litert(operation: str, dtype: str, operands: list[Array], delegate: bool = False) -> Program:
    from adapters.functional.litert_program import FUNCTIONS, compile_graph
    from adapters.onnx.writer import write

    def program(arrays: list[Array]) -> Program:
        run = compile_graph(write(aten_case(operation, dtype, arrays), FUNCTIONS).graph, delegate)
        return lambda *given: run(list(given))[0]

    return each_size(program, operands)


def litert_xnnpack(operation: str, dtype: str, operands: list[Array]) -> Program:
    return litert(operation, dtype, operands, delegate=True)


def torchax(operation: str, dtype: str, operands: list[Array]) -> Program:
    from adapters.torch.case_module import quiet_single_thread
    from adapters.torch.stateless import without_state
    from adapters.torch.torchax_xla import as_arrays, compile_program, j2t
    from adapters.worker.system import Stages

    quiet_single_thread()

    def program(arrays: list[Array]) -> Program:
        case = without_state(aten_case(operation, dtype, arrays), tuple(as_tensor(array, dtype) for array in arrays))
        run = compile_program(case, "export", Stages())

        def call(*given: Array) -> Array:
            tensors = [as_tensor(array, dtype) for array in given]
            result = j2t(run(as_arrays(tensors))[0], use_dlpack=False)
            # Of every dtype it gives f32 for these two, which is no error of the function's.
            return as_array(result.to(tensors[0].dtype) if operation in ("lgamma", "digamma") else result)

        return call

    return each_size(program, operands)


def litert_torch(operation: str, dtype: str, operands: list[Array], delegate: bool = False) -> Program:
    from adapters.litert.interpreter import load, runner
    from adapters.torch.case_module import quiet_single_thread
    from adapters.torch.litert_converter import SWITCHES, convert
    from adapters.torch.stateless import without_state
    from adapters.worker.switches import parse

    quiet_single_thread()
    settings = parse([], SWITCHES)

    def program(arrays: list[Array]) -> Program:
        case = without_state(aten_case(operation, dtype, arrays), tuple(as_tensor(array, dtype) for array in arrays))
        run = runner(load(convert(case, settings), delegate, settings), 1)
        return lambda *given: np.array(run([np.ascontiguousarray(array) for array in given])[0])

    return each_size(program, operands)


def litert_torch_xnnpack(operation: str, dtype: str, operands: list[Array]) -> Program:
    return litert_torch(operation, dtype, operands, delegate=True)


def mlx(operation: str, dtype: str, operands: list[Array]) -> Program:
    """Uncompiled: a call alone is not fused, and what is fused calls the same functions from C++ that is built anew."""
    from adapters.functional.mlx_cpu import FUNCTIONS, program_of
    from adapters.onnx.writer import write

    def program(arrays: list[Array]) -> Program:
        run = program_of(write(aten_case(operation, dtype, arrays), FUNCTIONS).graph, False)
        return lambda *given: run(list(given))[0].copy()

    return each_size(halves_as_bits(program, dtype), operands)


def halves_as_bits(make: Callable[[list[Array]], Program], dtype: str) -> Callable[[list[Array]], Program]:
    """For a library whose bf16 is ml_dtypes': operands and results cross as the bits of their numbers."""
    if dtype != "bf16":
        return make
    import ml_dtypes

    def as_numbers(arrays: Sequence[Array]) -> list[Array]:
        return [array.view(ml_dtypes.bfloat16) for array in arrays]

    def made(arrays: list[Array]) -> Program:
        program = make(as_numbers(arrays))

        def run(*given: Array) -> Array:
            result = program(*as_numbers(given))
            return result.view(np.uint16) if result.dtype == ml_dtypes.bfloat16 else result

        return run

    return made


def onnx_reference(operation: str, dtype: str, operands: list[Array]) -> Program:
    from onnx.reference import ReferenceEvaluator

    evaluator = ReferenceEvaluator(onnx_model(operation, dtype, operands))

    def run(*arrays: Array) -> Array:
        with np.errstate(all="ignore"):
            return np.array(evaluator.run(None, dict(zip(("x", "x1"), arrays, strict=False)))[0])

    return run


def once_each(build: Builder) -> Builder:
    """Builds a program for 1-dimensional operands once: it takes every size."""
    programs: dict[tuple[Any, ...], Program] = {}

    def built(operation: str, dtype: str, operands: list[Array]) -> Program:
        key = (operation, dtype, *(operand.shape if operand.ndim > 1 else 0 for operand in operands))
        if key not in programs:
            programs[key] = build(operation, dtype, operands)
        return programs[key]

    return built


SYSTEMS: dict[str, tuple[Builder, str]] = {  # and the distribution whose version goes into the profile
    "torch-compile": (torch_compile, "torch"),
    "onnxruntime": (onnxruntime, "onnxruntime"),
    "openvino": (openvino, "openvino"),
    "iree": (iree, "iree-base-compiler"),
    "executorch-xnnpack": (executorch_xnnpack, "executorch"),
    "tract": (tract, "tract"),
    "tvm": (tvm, "apache-tvm"),
    "tinygrad": (tinygrad, "tinygrad"),
    "ncnn": (ncnn, "ncnn"),
    "ncnn-vulkan": (ncnn_vulkan, "ncnn"),
    "opencv": (opencv, "opencv-python-headless"),
    "mnn": (mnn, "MNN"),
    "jax": (jax, "jax"),
    "tensorflow": (tensorflow, "tensorflow-cpu"),
    "tensorflow-xla": (tensorflow_xla, "tensorflow-cpu"),
    "litert": (litert, "ai-edge-litert"),
    "litert-xnnpack": (litert_xnnpack, "ai-edge-litert"),
    "torchax": (torchax, "torchax"),
    "litert-torch": (litert_torch, "litert-torch"),
    "litert-torch-xnnpack": (litert_torch_xnnpack, "litert-torch"),
    "mlx": (mlx, "mlx"),
    "onnx-reference": (onnx_reference, "onnx"),
}
