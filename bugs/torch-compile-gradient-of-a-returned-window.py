"""The gradient of a returned view whose elements overlap (unfold) is wrong: the incoming gradient is copied into memory of the strides of the output, so that windows write over one another. Exit 1 where the bug shows."""

import sys

import torch


def gradient(f, backend):
    torch._dynamo.reset()
    x = torch.zeros(4, requires_grad=True)
    out = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x)
    return torch.autograd.grad(out, x, torch.arange(1.0, 7.0).reshape(3, 2))[0].tolist()


def shows(name, f):
    expected, actual = gradient(f, None), gradient(f, "aot_eager")
    print(f"{name}\n  eager     {expected}\n  aot_eager {actual}")
    return actual != expected


bug = shows("unfold", lambda x: (x * 1).unfold(0, 2, 1))
control = shows("and a clone", lambda x: (x * 1).unfold(0, 2, 1).clone())
sys.exit(2 if control else 1 if bug else 0)
