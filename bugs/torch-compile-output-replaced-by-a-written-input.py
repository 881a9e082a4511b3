"""Where one input is written in place under autograd and another without a gradient is written too, a result comes back as that other input: x for exp(x). Exit 1 where the bug shows."""

import sys

import torch


def run(f, backend):
    torch._dynamo.reset()
    x, w = torch.tensor([-1.0, 2.0]), torch.tensor([0.25, 0.5], requires_grad=True)
    outputs = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x, w.clone())  # no leaf may be written
    return [one.tolist() for one in outputs], [one.data_ptr() == x.data_ptr() for one in outputs]


def shows(name, f):
    expected, actual = run(f, None), run(f, "aot_eager")
    print(f"{name}: outputs, whether they are x\n  eager     {expected}\n  aot_eager {actual}")
    return actual != expected


def written(x, w):
    a = x.neg_()
    b = a.exp()
    w.log1p_()
    return b, a


def not_written(x, w):
    a = x.neg_()
    b = a.exp()
    w.log1p()
    return b, a


bug, control = shows("w written in place", written), shows("w not written", not_written)
sys.exit(2 if control else 1 if bug else 0)
