"""Addmm in which one tensor stands twice fails in XNNPACK's lowering. Exit 1 where the bug shows."""

import logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
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
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()], compile_config=EdgeCompileConfig(_check_ir_validity=False))
    buffer = edge.to_executorch().buffer  # what is loaded does not keep it
    return _load_for_executorch_from_buffer(buffer).run_method("forward", inputs)[0]


def shows(name, model, *inputs):
    expected = model(*inputs)
    print(name)
    print("  expected (eager):", expected.tolist())
    try:
        actual = run(model, inputs)
    except Exception as error:
        print("  actual:          ", type(error).__name__, str(error).split(",")[0])
        return True
    print("  actual:          ", actual.tolist())
    return actual.shape != expected.shape or not torch.allclose(actual, expected, equal_nan=True)


x, c = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0, -2.0], [0.0, 3.0]])
control = shows("control", Model(lambda x, c, d: torch.addmm(x, c, d), c=c, d=c.clone()), x)
bug = shows("case", Model(lambda x, c: torch.addmm(x, c, c), c=c), x)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
