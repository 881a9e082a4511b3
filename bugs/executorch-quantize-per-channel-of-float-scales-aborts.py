"""quantize_per_channel with float32 scales aborts the process. Exit 1 where the bug shows."""

import logging
import os
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import executorch.kernels.quantized  # the out variants
import torch
import torch.ao.quantization.fx._decomposed  # defines quantized_decomposed
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

quantized = torch.ops.quantized_decomposed


class Model(torch.nn.Module):
    def __init__(self, dtype):
        super().__init__()
        self.register_buffer("scale", torch.tensor([0.5, 0.25], dtype=dtype))
        self.register_buffer("zero_point", torch.tensor([0, 1]))

    def forward(self, x):
        return quantized.quantize_per_channel(x, self.scale, self.zero_point, 0, -128, 127, torch.int8)


def run(model, x):
    program = torch.export.export(model, (x,), strict=False)
    edge = to_edge_transform_and_lower(program, compile_config=EdgeCompileConfig(_check_ir_validity=False))
    buffer = edge.to_executorch().buffer  # what is loaded does not keep it
    return _load_for_executorch_from_buffer(buffer).run_method("forward", (x,))[0]


def shows(name, dtype, x):
    """In a child, which the runtime may end."""
    model = Model(dtype)
    expected = model(x)
    print(name)
    print("  expected (eager):", expected.tolist())
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        wrong = True
        try:
            actual = run(model, x)
            print("  actual:          ", actual.tolist())
            wrong = not torch.equal(actual, expected)
        except Exception as error:
            print("  actual:", type(error).__name__, (str(error).strip().splitlines() or [""])[-1][:200])
        sys.stdout.flush()
        os._exit(int(wrong))
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status < 0:
        print("  actual:           the process ended with", status)
    return status != 0


x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
bug = shows("case", torch.float32, x)
control = shows("control", torch.float64, x)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
