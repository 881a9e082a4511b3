"""An in-place view of an input that leaves its sizes and strides as they are (t_ of a vector) loses the gradient of what was computed of the input before it. Exit 1 where the bug shows."""

import sys

import torch

aten = torch.ops.aten


def gradient(f, backend):
    torch._dynamo.reset()
    leaf = torch.tensor([3.0, 4.0], requires_grad=True)
    y = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(leaf.clone())  # no leaf may be written
    return torch.autograd.grad(y.sum(), leaf)[0].tolist() if y.requires_grad else "none, since y.requires_grad is False"


def shows(name, f):
    found = {backend or "expected": gradient(f, backend) for backend in (None, "eager", "aot_eager", "inductor")}
    print(f"{name}: the gradient of x")
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["expected"] for one in found.values())


def lost(x):
    y = x * 2
    aten.t_(x)
    return y


def half(x):
    y = x * 2
    aten.t_(x)
    return y + x * 3


def not_in_place(x):
    y = x * 2
    aten.t(x)
    return y


bug = shows("y = x * 2, t_(x)", lost)
bug |= shows("y = x * 2, t_(x), y + x * 3", half)
control = shows("control: y = x * 2, t(x)", not_in_place)
sys.exit(2 if control else 1 if bug else 0)
