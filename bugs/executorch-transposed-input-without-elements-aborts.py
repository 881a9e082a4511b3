"""An input without elements whose strides are not row-major aborts the process. Exit 1 where the bug shows."""

import logging, os, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer


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
    edge = to_edge_transform_and_lower(program, partitioner=[], compile_config=EdgeCompileConfig(_check_ir_validity=False))
    buffer = edge.to_executorch().buffer  # what is loaded does not keep it
    return _load_for_executorch_from_buffer(buffer).run_method("forward", inputs)[0]


def shows(name, model, *inputs):
    expected = model(*inputs)
    print(name)
    print("  expected (eager):", expected.tolist())
    try:
        actual = run(model, inputs)
    except Exception as error:
        print("  actual:          ", type(error).__name__, (str(error).strip().splitlines() or [""])[0][:200])
        return True
    print("  actual:          ", actual.tolist())
    return actual.shape != expected.shape or not torch.allclose(actual, expected, equal_nan=True)


def dies(name, model, *inputs):
    """In a child, which the runtime may end."""
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        run(model, inputs)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(name)
    print("  expected (eager):", model(*inputs).tolist())
    print("  actual:           the process ended with", status)
    return status < 0


relu = Model(torch.relu)
control = shows("control", relu, torch.empty(3, 0))
bug = dies("case", relu, torch.empty(0, 3).t())
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
