"""A convolution of dequantized tensors whose result stays a float reads memory that nobody wrote. Exit 1 where the bug shows."""

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


def q(y):
    return quantize(y, 0.5, 0)


def dq(x):
    return dequantize(x, 0.5, 0)


def product(op, after=lambda y: [y]):
    return lambda x, w: after(op(dq(x), dq(w)))


conv1d, conv2d, linear = torch.conv1d, torch.conv2d, torch.nn.functional.linear
x, w = torch.tensor([[[[4]]]], dtype=torch.int8), torch.tensor([[[[2]]]], dtype=torch.int8)
line, window = x[0], w[0]
row, column = x[0, 0], w[0, 0]
float_x, bias = torch.tensor([[[[2.0]]]]), torch.tensor([1.0])
control = shows("control: a quantize and a dequantize behind conv2d", product(conv2d, lambda y: [dq(q(y))]), x, w=w)
control |= shows("control: a quantize behind relu of conv2d", product(conv2d, lambda y: [q(torch.relu(y))]), x, w=w)
control |= shows("control: linear", product(linear), row, w=column)
bug = shows("case: conv2d", product(conv2d), x, w=w)
bug |= shows("conv1d", product(conv1d), line, w=window)
bug |= shows("relu behind conv2d", product(conv2d, lambda y: [torch.relu(y)]), x, w=w)
bug |= shows("sigmoid and a quantize behind conv2d", product(conv2d, lambda y: [q(torch.sigmoid(y))]), x, w=w)
bug |= shows("conv2d read by a quantize and as an output", product(conv2d, lambda y: [q(y), y]), x, w=w)
bug |= shows("a quantize behind conv2d, and a bias that is an input", lambda x, b, w: [q(conv2d(dq(x), dq(w), b))], x, bias, w=w)
bug |= shows("a weight that is an input, and a quantize behind conv2d", product(conv2d, lambda y: [q(y)]), x, w)
bug |= shows("conv2d of a float input", lambda x, w: [conv2d(x, dq(w))], float_x, w=w)
bug |= shows("mm", product(torch.mm), row, w=column)
bug |= shows("addmm", lambda x, w, b: [torch.addmm(b, dq(x), dq(w))], row, w=column, b=bias)
scales, zero_points = torch.tensor([0.5, 1.0], dtype=torch.float64), torch.tensor([0, 0])
two, kernels = torch.tensor([4, 6], dtype=torch.int8).view(1, 2, 1, 1), torch.tensor([2, 3], dtype=torch.int8).view(2, 1, 1, 1)


def transposed(x, w):
    w = decomposed.dequantize_per_channel(w, scales, zero_points, 0, *RANGE[w.dtype], w.dtype)
    return [q(torch.conv_transpose2d(dq(x), w, groups=2))]


bug |= shows("a quantize behind conv_transpose2d, two groups and a weight by channel", transposed, two, w=kernels)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
