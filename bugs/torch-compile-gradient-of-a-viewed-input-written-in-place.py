"""The gradient of an input that is written in place through a view is wrong, and the backward pass writes into the caller's input: what the backward pass needs is saved as a view of the input, into which the new value is copied afterwards. Exit 1 where the bug shows."""

import sys
import warnings

import torch

warnings.filterwarnings("ignore")


def run(f, backend):
    torch._dynamo.reset()
    leaf = torch.tensor([[1.0], [2.0], [3.0], [4.0]], requires_grad=True)
    x = leaf.clone()  # no leaf may be written
    try:
        y = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x)
        gradient = torch.autograd.grad(y.sum(), leaf)[0]
        return f"{gradient.flatten().tolist()}, x {x.detach().flatten().tolist()}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:100]}"


def shows(name, f):
    found = {backend or "expected": run(f, backend) for backend in (None, "eager", "aot_eager", "inductor")}
    print(f"{name}: the gradient of x, x after the backward pass")
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["expected"] for one in found.values())


def of_a_view(x):
    x.view(4).cumprod_(0)
    return x * 1


def of_the_input(x):
    x.cumprod_(0)
    return x * 1


def sqrt_of_a_view(x):
    x.view(4).sqrt_()
    return x * 1


def not_in_place(x):
    return x.view(4).cumprod(0) * 1


bug = shows("x.view(4).cumprod_(0), x * 1", of_a_view)
shows("the same without a view, which raises: x.cumprod_(0), x * 1", of_the_input)
control = shows("control: x.view(4).sqrt_(), x * 1", sqrt_of_a_view)
control |= shows("control: x.view(4).cumprod(0) * 1", not_in_place)
sys.exit(2 if control else 1 if bug else 0)
