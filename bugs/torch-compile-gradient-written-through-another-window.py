"""Of two inputs that share memory, one is written by what has a gradient and the other is read: the value is right, the gradient is lost. Exit 1 where the bug shows."""

import sys
import warnings

import torch

warnings.filterwarnings("ignore")


def run(f, backend):
    torch._dynamo.reset()
    memory = torch.tensor([1.0, 2.0, 3.0])
    x = torch.tensor([2.0, 2.0], requires_grad=True)
    try:
        y = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(memory[:2], memory[1:], x)
        gradient = torch.autograd.grad(y.sum(), x)[0].tolist() if y.requires_grad else "none, requires_grad is False"
        return f"{y.tolist()}, gradient {gradient}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:100]}"


def shows(name, f):
    found = {backend or "expected": run(f, backend) for backend in (None, "eager", "aot_eager", "inductor")}
    print(f"{name}: y, the gradient of x")
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["expected"] for one in found.values())


def other_window(a, c, x):
    torch.neg(c)  # read before the write too, without which dynamo fails
    a.add_(x)
    return c * 1


def same_window(a, c, x):
    torch.neg(a)
    a.add_(x)
    return a * 1


bug = shows("a = memory[:2], c = memory[1:], neg(c), a.add_(x), y = c * 1", other_window)
control = shows("control: neg(a), a.add_(x), y = a * 1", same_window)
sys.exit(2 if control else 1 if bug else 0)
