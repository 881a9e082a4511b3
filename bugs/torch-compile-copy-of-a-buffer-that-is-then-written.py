"""What is copied out of a buffer is what is written to the buffer afterwards: inductor takes the copy for nothing to do and reads the buffer at the end. Exit 1 where the bug shows."""

import sys
import warnings

import torch

warnings.filterwarnings("ignore")


class Module(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f
        self.register_buffer("s", torch.tensor([0.0, 2.0]))

    def forward(self, x):
        s = self.s
        x.copy_(self.f(s))
        s.add_(1)
        return s


def shows(name, f):
    found = {}
    for backend in ("eager", "aot_eager", "inductor"):
        torch._dynamo.reset()
        x = torch.tensor([5.0, 7.0])
        with torch.no_grad():
            torch.compile(Module(f), backend=backend, fullgraph=True)(x)
        found[backend] = x.tolist()
    print(name, *(f"  x after {backend:9}: {one}" for backend, one in found.items()), sep="\n")
    return any(one != found["eager"] for one in found.values())


bug = shows("x.copy_(s), s.add_(1)", lambda s: s)
control = shows("x.copy_(-s), s.add_(1)", lambda s: -s)
sys.exit(2 if control else 1 if bug else 0)
