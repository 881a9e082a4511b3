"""The cotangent of a result of no dims that nobody uses, among several of one call, is torch.zeros() without sizes. Exit 1 where the bug shows."""

import warnings; warnings.filterwarnings("ignore")
import sys, torch
for name in ("align_as", "align_to", "has_names", "refine_names", "rename"):
    if not hasattr(torch.Tensor, name):  # PyTorch 2.13 removed what thunder 0.2.6 looks for when it is imported
        stand_in = lambda *_: None
        stand_in.__name__, stand_in.__module__ = name, torch.Tensor.__module__
        setattr(torch.Tensor, name, stand_in)
import thunder

import sys

import torch

import thunder


def gradient(jit, *sizes):
    x = torch.tensor([0.5, -0.75]).reshape(sizes).requires_grad_()
    f = lambda x: torch.unbind_copy(x)[0]
    try:
        out = (thunder.jit(f) if jit else f)(x)
        return torch.autograd.grad(out.sum(), x)[0].tolist()
    except TypeError as error:
        return f"TypeError: {error}"


def shows(name, *sizes):
    expected, actual = gradient(False, *sizes), gradient(True, *sizes)
    print(f"{name}\n  eager   {expected}\n  thunder {actual}")
    return expected != actual


bug, control = shows("of [2]", 2), shows("of [2, 1]", 2, 1)
sys.exit(2 if control else 1 if bug else 0)
