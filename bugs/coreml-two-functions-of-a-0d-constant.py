"""A function of a function of a 0-d constant fails to convert: the inner one is folded to a float, and its reader asks for its ndim. Exit 1 where the bug shows."""

import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import coremltools
import torch


class Module(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f
        self.register_buffer("c", torch.tensor([0.5, 1, 2, 3]))

    def forward(self, x):
        return x + self.f(self.c)


def shows(name, f):
    program = torch.export.export(Module(f), (torch.ones(4),)).run_decompositions()
    try:
        coremltools.convert(program, minimum_deployment_target=coremltools.target.iOS18, skip_model_load=True)
    except AttributeError as error:
        print(f"{name}: AttributeError: {error}")
        return True
    print(f"{name}: converted")
    return False


bug = shows("sin(exp(c[3]))", lambda c: c[3].exp().sin())
control = shows("sin(exp(c[3:]))", lambda c: c[3:].exp().sin()) or shows("exp(c[3])", lambda c: c[3].exp())
sys.exit(2 if control else 1 if bug else 0)
