"""XNNPACK is given a quantized cat whose result has another scale than its operands, which it refuses. Exit 1 where the bug shows."""

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


x, y = torch.tensor([1], dtype=torch.int8), torch.tensor([2], dtype=torch.int8)
m = torch.tensor([[1, 2], [3, 4]], dtype=torch.int8)


def cat(first, second, result):
    return lambda x, y: [quantize(torch.cat([dequantize(x, *first), dequantize(y, *second)]), *result)]


def move(f, result):
    return lambda m: [quantize(f(dequantize(m, 0.5, 0)), *result)]


control = shows("control, cat: one scale and one zero point", cat((0.5, 0), (0.5, 0), (0.5, 0)), x, y)
control |= shows("control, permute: one scale", move(lambda m: m.permute(1, 0), (0.5, 0)), m)
control |= shows("control, relu: another scale of the result", move(torch.relu, (0.25, 0)), m)
bug = shows("case, cat: another scale of the result", cat((0.5, 0), (0.5, 0), (0.25, 0)), x, y)
bug |= shows("cat: another zero point of the result", cat((0.5, 0), (0.5, 0), (0.5, 1)), x, y)
bug |= shows("cat: another scale of an operand", cat((0.5, 0), (0.25, 0), (0.5, 0)), x, y)
bug |= shows("cat: another zero point of an operand", cat((0.5, 0), (0.5, 1), (0.5, 0)), x, y)
bug |= shows("permute: another scale of the result", move(lambda m: m.permute(1, 0), (0.25, 0)), m)
bug |= shows("reshape: another scale of the result", move(lambda m: m.reshape(4), (0.25, 0)), m)
bug |= shows("slice: another scale of the result", move(lambda m: m[:, :1], (0.25, 0)), m)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
