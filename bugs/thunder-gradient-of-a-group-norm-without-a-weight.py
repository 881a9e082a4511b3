"""The gradient of a group norm with a bias and no weight fails, although only the input asks for one. Exit 1 where the bug shows."""

import warnings; warnings.filterwarnings("ignore")
import sys, torch
for name in ("align_as", "align_to", "has_names", "refine_names", "rename"):
    if not hasattr(torch.Tensor, name):  # PyTorch 2.13 removed what thunder 0.2.6 looks for when it is imported
        stand_in = lambda *_: None
        stand_in.__name__, stand_in.__module__ = name, torch.Tensor.__module__
        setattr(torch.Tensor, name, stand_in)
import thunder


def gradient(jit, weight, bias):
    x = torch.tensor([[1.0, 2.0, 3.0, 5.0]], requires_grad=True)
    f = lambda x, weight, bias: torch.native_group_norm(x, weight, bias, 1, 4, 1, 1, 1e-5)[0]
    try:
        out = (thunder.jit(f) if jit else f)(x, weight, bias)
        return [round(one, 4) for one in torch.autograd.grad(out[0, 0], x)[0][0].tolist()]
    except NotImplementedError as error:
        return f"NotImplementedError: ... {str(error).partition('registration: ')[2]}"


def shows(name, *parameters):
    expected, actual = gradient(False, *parameters), gradient(True, *parameters)
    print(f"{name}: gradient of x\n  expected {expected}\n  actual   {actual}")
    return expected != actual


ones, bias = torch.ones(4), torch.tensor([1.0, 2.0, 3.0, 4.0])
bug = shows("no weight, a bias", None, bias)
control = shows("a weight of ones, a bias", ones, bias)
control |= shows("no weight, no bias", None, None)
sys.exit(2 if control else 1 if bug else 0)
