"""copy_ does not broadcast its source to the sizes of its destination. Exit 1 where the bug shows."""

import warnings; warnings.filterwarnings("ignore")
import sys, torch
for name in ("align_as", "align_to", "has_names", "refine_names", "rename"):
    if not hasattr(torch.Tensor, name):  # PyTorch 2.13 removed what thunder 0.2.6 looks for when it is imported
        stand_in = lambda *_: None
        stand_in.__name__, stand_in.__module__ = name, torch.Tensor.__module__
        setattr(torch.Tensor, name, stand_in)
import thunder


def run(f, jit, y):
    x, y = torch.tensor([1.0, 2.0]), torch.tensor(y)
    try:
        return (thunder.jit(f) if jit else f)(x, y).tolist()
    except RuntimeError as error:
        return f"RuntimeError: {error}"


def shows(name, f, y):
    expected, actual = run(f, False, y), run(f, True, y)
    print(f"{name}\n  expected {expected}\n  actual   {actual}")
    return expected != actual


copy = lambda x, y: x.copy_(y)
bug = shows("two numbers, copy_ of one", copy, [5.0])
control = shows("two numbers, copy_ of two", copy, [5.0, 6.0])
control |= shows("two numbers, add_ of one", lambda x, y: x.add_(y), [5.0])
sys.exit(2 if control else 1 if bug else 0)
