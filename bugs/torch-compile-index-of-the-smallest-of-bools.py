"""The index of the smallest of bools is that of a True. Exit 1 where the bug shows."""

import sys

import torch


def run(backend, x):
    torch._dynamo.reset()
    f = lambda x: tuple(torch.min(x, 0))
    return [one.item() for one in (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x)]


def shows(name, x):
    found = {backend or "expected": run(backend, x) for backend in (None, "eager", "aot_eager", "inductor")}
    print(f"{name}: value, index")
    for backend, one in found.items():
        print(f"  {backend:9}", *one)
    return any(one != found["expected"] for one in found.values())


bug = shows("min([False, True], 0)", torch.tensor([False, True]))
control = shows("min([0, 1], 0), u8", torch.tensor([0, 1], dtype=torch.uint8))
sys.exit(2 if control else 1 if bug else 0)
