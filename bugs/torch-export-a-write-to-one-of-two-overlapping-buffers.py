"""A write to one of two overlapping buffers is exported, and fails in run_decompositions with an assertion. Exit 1 where the bug shows."""

import sys
import warnings

import torch

warnings.filterwarnings("ignore")


class Model(torch.nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.register_buffer("a", a)
        self.register_buffer("b", b)

    def forward(self, x):
        self.a.neg_()
        return x + self.b


def shows(name, buffers):
    x = torch.tensor([1.0, 2.0])
    print(name)
    print("  expected (eager):", Model(*buffers())(x).tolist())
    print("  exported:        ", torch.export.export(Model(*buffers()), (x,)).module()(x).tolist())
    try:
        program = torch.export.export(Model(*buffers()), (x,)).run_decompositions()
        print("  decomposed:      ", program.module()(x).tolist())
    except AssertionError as error:
        print("  decomposed:       AssertionError", error)
        return True
    return False


def windows(offset):
    storage = torch.tensor([1.0, 2.0, 3.0, 4.0])
    return storage[:2], storage[offset:offset + 2]


control = shows("two storages", lambda: (torch.tensor([1.0, 2.0]), torch.tensor([2.0, 3.0])))
shows("one storage, apart", lambda: windows(2))
bug = shows("one storage, overlapping", lambda: windows(1))
sys.exit(2 if control else 1 if bug else 0)
