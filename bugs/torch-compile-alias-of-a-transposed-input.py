"""A returned alias of an input that is viewed in place afterwards (transpose_, squeeze_) has the input's new sizes, not its own. Exit 1 where the bug shows."""

import sys
import warnings

import torch

warnings.filterwarnings("ignore")
aten = torch.ops.aten


def run(f, backend):
    torch._dynamo.reset()
    x = torch.tensor([[1.0, 2.0, 3.0, 4.0]])
    try:
        v = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x)
        return f"{list(v.shape)}, x {list(x.shape)}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:100]}"


def found(name, f):
    sizes = {backend or "expected": run(f, backend) for backend in (None, "eager", "aot_eager", "inductor")}
    print(f"{name}: the sizes of v")
    for backend, one in sizes.items():
        print(f"  {backend:9} {one}")
    return sizes


def shows(name, f):
    sizes = found(name, f)
    return any(one != sizes["expected"] for one in sizes.values())


def viewed(view, in_place):
    def f(x):
        v = view(x)
        in_place(x)
        return v

    return f


def transpose_(x):
    aten.transpose_(x, 0, 1)


def squeeze_(x):
    aten.squeeze_(x, 0)


bug = shows("v = alias(x), transpose_(x, 0, 1)", viewed(aten.alias, transpose_))
bug |= shows("v = x[:], squeeze_(x, 0)", viewed(lambda x: x[:], squeeze_))
bug |= shows("v = x.view(1, 4), transpose_(x, 0, 1)", viewed(lambda x: x.view(1, 4), transpose_))
control = shows("control: v = x.view(4), transpose_(x, 0, 1)", viewed(lambda x: x.view(4), transpose_))
control |= shows("control: v = alias(x), transpose(x, 0, 1)", viewed(aten.alias, lambda x: aten.transpose(x, 0, 1)))
sys.exit(2 if control else 1 if bug else 0)
