"""Inductor leaves out the clone of a slice that was written: the result shares the input's memory. Exit 1 where the bug shows."""

import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import torch


def run(f, backend):
    torch._dynamo.reset()
    x, y = torch.zeros(2, 2), torch.tensor([1.0, 2.0])
    result = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x, y)
    result.fill_(9.0)  # a caller that writes the result
    return x.tolist()


def shows(name, f):
    found = {backend or "expected": run(f, backend) for backend in (None, "eager", "aot_eager", "inductor")}
    print(f"{name}: x after result.fill_(9)")
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["expected"] for one in found.values())


bug = shows("x[:1].add_(y).clone()", lambda x, y: x[:1].add_(y).clone())
bug |= shows("x[:1].add_(y); x[:1].clone()", lambda x, y: (x[:1].add_(y), x[:1].clone())[1])
bug |= shows("x[:1].copy_(y).clone()", lambda x, y: x[:1].copy_(y).clone())
bug |= shows("x[0].add_(y).clone()", lambda x, y: x[0].add_(y).clone())
control = shows("control: x[:1].add_(y) * 2", lambda x, y: x[:1].add_(y) * 2)
control |= shows("control: x.add_(y).clone()", lambda x, y: x.add_(y).clone())
control |= shows("control: x[:1].clone()", lambda x, y: x[:1].clone())
sys.exit(2 if control else int(bug))
