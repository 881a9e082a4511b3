"""A view of a tensor that is transposed in place (t_) is made again by replaying what was recorded before on the transposed tensor: a row becomes a column, in the value or in the gradient. Exit 1 where the bug shows."""

import sys

import torch


def run(f, backend):
    torch._dynamo.reset()
    leaf = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    v = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(leaf.clone())[0]  # no leaf may be written
    return v.tolist(), torch.autograd.grad(v.sum(), leaf)[0].tolist()


def shows(name, f):
    found = {backend or "expected": run(f, backend) for backend in (None, "eager", "aot_eager", "inductor")}
    print(f"{name}: v, the gradient of its sum")
    for backend, one in found.items():
        print(f"  {backend:9}", *one)
    return any(one != found["expected"] for one in found.values())


def returned_both(x):
    a = x * 2
    v = a[0]
    a.t_()
    return v, a


def returned_alone(x):
    a = x * 2
    v = a[0]
    a.t_()
    return (v,)


def of_an_input(x):
    t = torch.ops.aten.t_(x)
    return t[0], t * 2


def not_in_place(x):
    a = x * 2
    v = a[0]
    return v, a.t()


def of_an_input_not_in_place(x):
    t = torch.ops.aten.t(x)
    return t[0], t * 2


bug = shows("a = x * 2, v = a[0], a.t_(), return v, a", returned_both)
shows("the same, return v", returned_alone)
shows("t = t_(x), v = t[0], return v, t * 2", of_an_input)
control = shows("control: a = x * 2, v = a[0], return v, a.t()", not_in_place)
control |= shows("control: t = t(x), v = t[0], return v, t * 2", of_an_input_not_in_place)
sys.exit(2 if control else 1 if bug else 0)
