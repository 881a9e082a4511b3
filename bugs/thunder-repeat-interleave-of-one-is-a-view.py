"""Repeat_interleave along a dim of size 1 returns an expanded view of its operand, so that a later write to the operand changes it, and a write to the result fails. Exit 1 where the bug shows."""

import warnings; warnings.filterwarnings("ignore")
import sys, torch
for name in ("align_as", "align_to", "has_names", "refine_names", "rename"):
    if not hasattr(torch.Tensor, name):  # PyTorch 2.13 removed what thunder 0.2.6 looks for when it is imported
        stand_in = lambda *_: None
        stand_in.__name__, stand_in.__module__ = name, torch.Tensor.__module__
        setattr(torch.Tensor, name, stand_in)
import thunder


def shows(name, f):
    found = []
    for run in (f, thunder.jit(f)):
        x = torch.tensor([[1.0], [2.0]])
        y = run(x)
        found.append((y.tolist(), y.untyped_storage()._cdata == x.untyped_storage()._cdata))
    print(f"{name}: values, whether in the memory of x\n  expected {found[0]}\n  actual   {found[1]}")
    return found[0] != found[1]


def repeat_and_write(x, dim):
    y = torch.repeat_interleave(x, 3, dim)
    x.add_(x)
    return y


bug = shows("dim of size 1", lambda x: repeat_and_write(x, 1))
control = shows("dim of size 2", lambda x: repeat_and_write(x, 0))
sys.exit(2 if control else 1 if bug else 0)
