"""XNNPACK's lowering gives the weight of a conv1d a fourth dim for all who read it. Exit 1 where the bug shows."""

import logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.CRITICAL)
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
    config = EdgeCompileConfig(_check_ir_validity=False)
    edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()], compile_config=config)
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


x, w = torch.tensor([[[5.0, 6.0]]]), torch.tensor([[[1.0, 2.0]]])
conv1d, softmax = torch.nn.functional.conv1d, torch.softmax
control = shows("control, softmax of a second constant of the same values",
                Model(lambda x, w, u: conv1d(x, w).reshape(1) + softmax(u, -1).reshape(2), w=w, u=w.clone()), x)
bug = shows("case, softmax of the weight",
            Model(lambda x, w: conv1d(x, w).reshape(1) + softmax(w, -1).reshape(2), w=w), x)
bug |= shows("the product of the weight", Model(lambda x, w: conv1d(x, w) + x * w, w=w), x)
bug |= shows("the transposed weight", Model(lambda x, w: conv1d(x, w) + w.transpose(1, 2).neg(), w=w), x)
bug |= shows("a second conv1d with the same weight", Model(lambda x, w: conv1d(x, w) + conv1d(x + 1, w), w=w), x)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
