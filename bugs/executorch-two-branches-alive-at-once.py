"""the result of a branch lies where a later branch writes, while it is still read"""
import logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
from executorch.exir import to_edge
from executorch.runtime import Runtime


class Branches(torch.nn.Module):
    def __init__(self, copied):
        super().__init__()
        self.copied = copied

    def forward(self, p, x):
        a = torch.cond(p, lambda v: (v * 2,), lambda v: (-v,), (x,))[0]
        if self.copied:
            a = a * 1
        b = torch.cond(p, lambda v: (v + 1,), lambda v: (-v,), (x,))[0]
        return a - b


def run(name, copied):
    inputs = (torch.tensor(True), torch.tensor([3.0, 5.0]))
    program = to_edge(torch.export.export(Branches(copied), inputs)).to_executorch()
    actual = Runtime.get().load_program(program.buffer).load_method("forward").execute(inputs)[0].tolist()
    print(f"{name}: expected [2.0, 4.0], actual {actual}")
    return actual != [2.0, 4.0]


control = run("control, the first result copied before the second branch", True)
bug = run("case, both results alive at once", False)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
