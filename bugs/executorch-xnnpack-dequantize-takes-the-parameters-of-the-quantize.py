"""The XNNPACK delegate dequantizes with the parameters of the quantize before it, not with its own. Exit 1 where the bug shows."""

import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import torch
import torch.ao.quantization.fx._decomposed  # defines quantized_decomposed
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

quantized = torch.ops.quantized_decomposed


class Model(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x):
        return self.f(x)


def run(f, x):
    program = torch.export.export(Model(f), (x,), strict=False)
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()], compile_config=EdgeCompileConfig(_check_ir_validity=False))
    buffer = edge.to_executorch().buffer  # what is loaded does not keep it
    return _load_for_executorch_from_buffer(buffer).run_method("forward", (x,))[0]


def shows(name, f, x):
    expected = f(x)
    print(name)
    print("  expected (eager):", expected.tolist())
    try:
        actual = run(f, x)
    except Exception as error:
        print("  actual:", type(error).__name__, (str(error).strip().splitlines() or [""])[-1][:200])
        return True
    print("  actual:          ", actual.tolist())
    return not torch.equal(actual, expected)


def pair(zero_point):
    def f(x):
        q = quantized.quantize_per_tensor(x, 0.5, 0, -128, 127, torch.int8)
        return quantized.dequantize_per_tensor(q, 0.5, zero_point, -128, 127, torch.int8)

    return f


x = torch.tensor([1.0])
bug = shows("case", pair(1), x)
control = shows("control", pair(0), x)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
