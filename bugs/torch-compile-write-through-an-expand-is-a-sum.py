"""A write through expand, also one that repeats nothing, adds the difference of new and old to the base: 0.1 written over 1e10 is 0, over infinity NaN. Exit 1 where the bug shows."""

import sys

import torch


def run(f, backend):
    torch._dynamo.reset()
    x = torch.tensor([1e10, float("inf"), 3.0])
    (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x)
    return x.tolist()


def shows(name, f):
    found = {backend or "eager": run(f, backend) for backend in (None, "aot_eager", "inductor")}
    print(name)
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["eager"] for one in found.values())


def through(view):
    def f(x):
        view(x).fill_(0.1)

    return f


bug = shows("x.expand(3).fill_(0.1); x after it", through(lambda x: x.expand(3)))
control = shows("x.view(3).fill_(0.1)", through(lambda x: x.view(3)))
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
