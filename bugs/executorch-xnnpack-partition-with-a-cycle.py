"""A quantized operation and what it needs become a partition that a path leaves and enters again. Exit 1 where the bug shows."""

import logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.CRITICAL)
import torch
import torch.ao.quantization.fx._decomposed  # declares quantized_decomposed
import executorch.kernels.quantized  # the portable kernels of quantize and dequantize
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

RANGE = {torch.int8: (-128, 127), torch.uint8: (0, 255), torch.int16: (-32768, 32767)}
decomposed = torch.ops.quantized_decomposed


def quantize(x, scale, zero_point, dtype=torch.int8):
    return decomposed.quantize_per_tensor(x, scale, zero_point, *RANGE[dtype], dtype)


def dequantize(x, scale, zero_point):
    return decomposed.dequantize_per_tensor(x, scale, zero_point, *RANGE[x.dtype], x.dtype)


class Model(torch.nn.Module):
    def __init__(self, f, **buffers):
        super().__init__()
        self.f = f
        for name, value in buffers.items():
            self.register_buffer(name, value)

    def forward(self, *xs):
        return self.f(*xs, **dict(self.named_buffers()))


def run(model, inputs):
    program = torch.export.export(model, inputs, strict=False)
    config = EdgeCompileConfig(_check_ir_validity=False)
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()], compile_config=config)
    buffer = edge.to_executorch().buffer  # what is loaded does not keep it
    return _load_for_executorch_from_buffer(buffer).run_method("forward", inputs)


def shows(name, f, *inputs, **buffers):
    model = Model(f, **buffers)
    expected = model(*inputs)
    print(name)
    print("  expected (eager):", *(value.tolist() for value in expected))
    try:
        actual = run(model, inputs)
    except Exception as error:
        print("  actual:          ", type(error).__name__, (str(error).strip().splitlines() or [""])[0][:200])
        return True
    print("  actual:          ", *(value.tolist() for value in actual))
    return any(a.shape != e.shape or not torch.allclose(a.double(), e.double()) for a, e in zip(actual, expected))


def residual(f, one):
    def model(x):
        a = dequantize(x, 0.5, 0)
        b = a if one else dequantize(x, 0.5, 0)
        return [quantize(a + dequantize(quantize(f(b), 0.5, 0), 0.5, 0), 0.5, 0)]
    return model


def twice(one):
    def model(x, w):
        u = decomposed.dequantize_per_tensor(w, 0.5, 0, -127, 127, torch.int8)
        v = u if one else decomposed.dequantize_per_tensor(w, 0.5, 0, -127, 127, torch.int8)
        y = quantize(torch.nn.functional.linear(dequantize(x, 0.5, 0), u), 0.5, 0)
        z = quantize(torch.sigmoid(dequantize(y, 0.5, 0)), 0.25, 0)
        return [quantize(torch.nn.functional.linear(dequantize(z, 0.25, 0), v), 0.25, 0)]
    return model


x, m = torch.tensor([3], dtype=torch.int8), torch.tensor([[10, 20]], dtype=torch.int8)
w = torch.tensor([[2, 1], [0, 2]], dtype=torch.int8)
control = shows("control: sigmoid has a dequantize of its own", residual(torch.sigmoid, False), x)
control |= shows("control: relu, which is quantized itself", residual(torch.relu, True), x)
control |= shows("control: two linears, a dequantize of the weight for each", twice(False), m, w=w)
bug = shows("case: x and sigmoid of x", residual(torch.sigmoid, True), x)
bug |= shows("x and erf of x, which XNNPACK does not have", residual(torch.erf, True), x)
bug |= shows("two linears, one dequantize of their weight", twice(True), m, w=w)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
