"""An input that is written in place after it was read gets no gradient, not of the read either: what is differentiated is the result of the write. Exit 1 where the bug shows."""

import warnings; warnings.filterwarnings("ignore")
import sys, torch
for name in ("align_as", "align_to", "has_names", "refine_names", "rename"):
    if not hasattr(torch.Tensor, name):  # PyTorch 2.13 removed what thunder 0.2.6 looks for when it is imported
        stand_in = lambda *_: None
        stand_in.__name__, stand_in.__module__ = name, torch.Tensor.__module__
        setattr(torch.Tensor, name, stand_in)
import thunder


def value_and_gradient(f, jit, *data):
    leaves = [torch.tensor(one, requires_grad=True) for one in data]
    out = (thunder.jit(f) if jit else f)(*[leaf.clone() for leaf in leaves])  # of clones: a leaf may not be written
    found = torch.autograd.grad(out.sum(), leaves, allow_unused=True, materialize_grads=True)
    return [[round(x, 4) for x in one.detach().tolist()] for one in (out, *found)]


def shows(name, f, *data):
    expected, actual = value_and_gradient(f, False, *data), value_and_gradient(f, True, *data)
    print(f"{name}: value, gradients\n  expected {expected}\n  actual   {actual}")
    return expected != actual


def bug(x, y):
    a = x + y
    x.add_(1)
    return a


def control(x, y):
    a = x + y
    x.add(1)
    return a


bug, control = shows("bug", bug, [1.0, 2.0], [3.0, 4.0]), shows("control", control, [1.0, 2.0], [3.0, 4.0])
sys.exit(2 if control else 1 if bug else 0)
