"""max_pool2d and avg_pool2d without a stride fail in XNNPACK's lowering. Exit 1 where the bug shows."""

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


x = torch.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
max_pool2d, avg_pool2d = torch.nn.functional.max_pool2d, torch.nn.functional.avg_pool2d
control = shows("control, max_pool2d: the stride is given", lambda x: [max_pool2d(x, [2, 2], [2, 2])], x)
control |= shows("control, avg_pool2d: the stride is given", lambda x: [avg_pool2d(x, [2, 2], [2, 2], count_include_pad=False)], x)
control |= shows("control, avg_pool2d: count_include_pad, which is left to the portable kernel", lambda x: [avg_pool2d(x, [2, 2])], x)
bug = shows("case, max_pool2d: no stride", lambda x: [max_pool2d(x, [2, 2])], x)
bug |= shows("avg_pool2d: no stride", lambda x: [avg_pool2d(x, [2, 2], count_include_pad=False)], x)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
