"""a floor division of floats is not rounded: 12 comes out as 11.999999, and as 11 once it is an integer"""
import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import torch
from executorch.exir import to_edge
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

A = torch.tensor([2.1347551345825195, 35.04534149169922, 49.307579040527344])
B = torch.tensor([0.16697725653648376, 1.4668840169906616, 1.641688346862793])


class Model(torch.nn.Module):
    def __init__(self, divide):
        super().__init__()
        self.divide = divide

    def forward(self, a, b):
        whole = self.divide(a, b)
        return whole, whole.to(torch.int64)


def run(name, divide):
    module = Model(divide)
    blob = to_edge(torch.export.export(module, (A, B), strict=False)).to_executorch().buffer
    actual = [one.tolist() for one in _load_for_executorch_from_buffer(blob).run_method("forward", (A, B))]
    expected = [one.tolist() for one in module(A, B)]
    print(f"{name}\n  expected (eager): {expected}\n  actual:           {actual}")
    return actual != expected


control = run("control: the floor of a quotient", lambda a, b: torch.floor(a / b))
bug = run("case: floor_divide", torch.floor_divide)
bug |= run("case: div with rounding_mode floor", lambda a, b: torch.div(a, b, rounding_mode="floor"))
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
