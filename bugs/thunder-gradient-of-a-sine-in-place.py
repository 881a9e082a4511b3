import warnings; warnings.filterwarnings("ignore")
import sys, torch
for name in ("align_as", "align_to", "has_names", "refine_names", "rename"):
    if not hasattr(torch.Tensor, name):  # PyTorch 2.13 removed what thunder 0.2.6 looks for when it is imported
        stand_in = lambda *_: None
        stand_in.__name__, stand_in.__module__ = name, torch.Tensor.__module__
        setattr(torch.Tensor, name, stand_in)
import thunder

def value_and_gradient(f, jit):
    leaf = torch.tensor(1.0, requires_grad=True)
    out = (thunder.jit(f) if jit else f)(leaf.clone())  # of a clone: a leaf may not be written in place
    return round(out.sum().item(), 4), round(torch.autograd.grad(out.sum(), leaf)[0].item(), 4)

def bug(x): return x.sin_()
def control(x): return x.sin()

wrong = {}
for f in (bug, control):
    expected, actual = value_and_gradient(f, False), value_and_gradient(f, True)
    wrong[f.__name__] = expected != actual
    print(f"{f.__name__}: (value, gradient) expected {expected} actual {actual}")
sys.exit(2 if wrong["control"] else 1 if wrong["bug"] else 0)
