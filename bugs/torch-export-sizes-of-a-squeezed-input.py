"""Squeeze_ of an input, and then a write to it: what run_decompositions makes writes the values back and not the sizes, so that the input keeps its dim. Exit 1 where the bug shows."""

import sys
import warnings

import torch

warnings.filterwarnings("ignore")


class Module(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, x):
        return self.f(x).neg_().sum()


def shows(name, f):
    module, found = Module(f), {}
    program = torch.export.export(module, (torch.tensor([[2.0, 3.0]]),))
    for kind, run in (("eager", module), ("exported", program.module()), ("decomposed", program.run_decompositions().module())):
        x = torch.tensor([[2.0, 3.0]])
        run(x)
        found[kind] = x.tolist()
    print(name, *(f"  x after the {kind} call: {one}" for kind, one in found.items()), sep="\n")
    return any(one != found["eager"] for one in found.values())


bug = shows("squeeze_, neg_", lambda x: x.squeeze_(0))
control = shows("squeeze, neg_", lambda x: x.squeeze(0))
sys.exit(2 if control else 1 if bug else 0)
