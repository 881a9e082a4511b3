"""A quantize beyond the range of int64 gives the lowest value, not the highest. Exit 1 where the bug shows."""

import logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.CRITICAL)
import torch
import torch.ao.quantization.fx._decomposed  # declares quantized_decomposed
import executorch.kernels.quantized  # the portable kernels of quantize and dequantize
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

decomposed = torch.ops.quantized_decomposed
SIGNED, UNSIGNED = (-128, 127, torch.int8), (0, 255, torch.uint8)


class Model(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f
        self.register_buffer("scale", torch.tensor([0.5], dtype=torch.float64))
        self.register_buffer("zero_point", torch.tensor([0]))

    def forward(self, x):
        return self.f(x, self.scale, self.zero_point)


def run(model, x):
    program = torch.export.export(model, (x,), strict=False)
    edge = to_edge_transform_and_lower(program, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    buffer = edge.to_executorch().buffer  # what is loaded does not keep it
    return _load_for_executorch_from_buffer(buffer).run_method("forward", (x,))[0]


def shows(name, f, values):
    x = torch.tensor(values)
    model = Model(f)
    expected, actual = model(x), run(model, x)
    print(name)
    print("  x:               ", x.tolist())
    print("  expected (eager):", expected.tolist())
    print("  actual:          ", actual.tolist())
    return not torch.equal(actual, expected)


def per_tensor(scale, range_of=SIGNED):
    return lambda x, s, z: decomposed.quantize_per_tensor(x, scale, 0, *range_of)


inf, largest = float("inf"), torch.finfo(torch.float32).max
control = shows("control: 2 ** 61, which is 2 ** 62 steps of 0.5", per_tensor(0.5), [1.0, 2.0**61])
control |= shows("control: numbers below 0", per_tensor(0.5), [-1.0, -(2.0**62), -largest, -inf])
bug = shows("case: 2 ** 62, which is 2 ** 63 steps of 0.5", per_tensor(0.5), [1.0, 2.0**62])
bug |= shows("the largest float and infinity", per_tensor(0.5), [1.0, largest, inf])
bug |= shows("to uint8", per_tensor(0.5, UNSIGNED), [1.0, inf])
bug |= shows("a scale of 2 ** -70", per_tensor(2.0**-70), [0.0, 1.0])
by_tensor, by_channel, by_token = (
    lambda x, s, z: decomposed.quantize_per_tensor.tensor(x, s, z, *SIGNED),
    lambda x, s, z: decomposed.quantize_per_channel(x, s, z, 0, *SIGNED),
    lambda x, s, z: decomposed.quantize_per_token(x, s[None], z[None], *SIGNED),
)
bug |= shows("a scale in a tensor", by_tensor, [1.0, inf])
bug |= shows("quantize_per_channel", by_channel, [[1.0, inf]])
bug |= shows("quantize_per_token", by_token, [[1.0, inf]])
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
