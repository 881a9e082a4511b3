"""baddbmm of integers fails where beta and alpha are not given: the defaults are floats, and integers ask for integers. Exit 1 where the bug shows."""

import warnings; warnings.filterwarnings("ignore")
import sys, torch
for name in ("align_as", "align_to", "has_names", "refine_names", "rename"):
    if not hasattr(torch.Tensor, name):  # PyTorch 2.13 removed what thunder 0.2.6 looks for when it is imported
        stand_in = lambda *_: None
        stand_in.__name__, stand_in.__module__ = name, torch.Tensor.__module__
        setattr(torch.Tensor, name, stand_in)
import thunder


def wrong(label, x, **factors):
    expected = torch.baddbmm(x, x, x, **factors).tolist()
    try:
        actual = thunder.jit(lambda x: torch.baddbmm(x, x, x, **factors))(x).tolist()
    except Exception as error:
        actual = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    print(f"{label}\n  expected {expected}\n  actual   {actual}")
    return expected != actual


x = torch.tensor([[[1, 2], [3, 4]]])
bug = wrong("integers", x)
control = wrong("control: integers, beta=1, alpha=1", x, beta=1, alpha=1)
control |= wrong("control: floats", x.float())
sys.exit(2 if control else int(bug))
