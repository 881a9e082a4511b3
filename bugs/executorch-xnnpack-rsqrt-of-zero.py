"""rsqrt of 0 is nan and not infinite"""
import sys, warnings, logging
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.rsqrt(x)


def shows(name, numbers):
    x = torch.tensor(numbers)
    edge = to_edge_transform_and_lower(torch.export.export(Model(), (x,), strict=False), partitioner=[XnnpackPartitioner()])
    buffer = edge.to_executorch().buffer  # what is loaded does not keep it
    actual = _load_for_executorch_from_buffer(buffer).run_method("forward", (x,))[0]
    expected = torch.rsqrt(x)
    print(f"{name}: expected {expected.tolist()}, actual {actual.tolist()}")
    return not torch.allclose(actual, expected, rtol=1e-4, atol=0)


control = shows("control, rsqrt of [1, 4, 16]", [1.0, 4.0, 16.0])
bug = shows("rsqrt of [0, 4, inf]", [0.0, 4.0, float("inf")])
for numbers in ([0.0], [1e-40], [-0.0], [float("inf")], [-1.0]):
    bug = shows(f"rsqrt of {numbers}", numbers) or bug
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
