"""The backward pass of an input that is written in place by what needs its old value fails: the saved tensor is the input itself, into which the new value is copied afterwards. Exit 1 where the bug shows."""

import sys

import torch


def gradient(f, backend):
    torch._dynamo.reset()
    leaf = torch.tensor([1.5, 2.0], requires_grad=True)
    try:
        out = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(leaf.clone())
        return torch.autograd.grad(out.sum(), leaf)[0].tolist()
    except RuntimeError as error:
        return f"RuntimeError: {str(error)[:100]}"


def shows(name, f):
    expected, actual = gradient(f, None), gradient(f, "aot_eager")
    print(f"{name}\n  eager     {expected}\n  aot_eager {actual}")
    return actual != expected


bug = shows("sin_", lambda x: x.sin_() * 1)
control = shows("sqrt_", lambda x: x.sqrt_() * 1)
sys.exit(2 if control else 1 if bug else 0)
