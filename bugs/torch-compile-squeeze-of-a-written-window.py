"""An input that is a window at an offset of its memory, written and then squeezed in place: the write lands at the start of the memory, outside of the window. Exit 1 where the bug shows."""

import sys

import torch

aten = torch.ops.aten


def run(f, backend):
    torch._dynamo.reset()
    memory = torch.tensor([1.0, 2.0, 3.0, 4.0])
    x = memory[2:].view(1, 2)
    (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x)
    return memory.tolist(), list(x.shape), x.storage_offset()


def shows(name, f):
    found = {backend or "expected": run(f, backend) for backend in (None, "eager", "aot_eager", "inductor")}
    print(f"{name}: the memory, x's sizes and offset")
    for backend, one in found.items():
        print(f"  {backend:9}", *one)
    return any(one != found["expected"] for one in found.values())


def in_place(x):
    aten.neg_(x)
    aten.squeeze_(x, 0)
    return x * 1


def not_in_place(x):
    aten.neg_(x)
    aten.squeeze(x, 0)
    return x * 1


bug, control = shows("neg_(x), squeeze_(x, 0)", in_place), shows("control: neg_(x), squeeze(x, 0)", not_in_place)
sys.exit(2 if control else 1 if bug else 0)
