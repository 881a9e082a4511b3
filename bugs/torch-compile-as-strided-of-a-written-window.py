"""As_strided of an input that was written in place counts from the functional result, a dense tensor of its own, not from the start of the storage. Exit 1 where the bug shows."""

import sys

import torch


def run(f, backend):
    torch._dynamo.reset()
    m = torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    return (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(m[4:6]).tolist()


def shows(name, f):
    found = {backend or "eager": run(f, backend) for backend in (None, "aot_eager", "inductor")}
    print(name)
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["eager"] for one in found.values())


bug = shows("after mul_(10)", lambda x: torch.as_strided_copy(x.mul_(10), [2], [1], 0))
control = shows("without", lambda x: torch.as_strided_copy(x, [2], [1], 0))
sys.exit(2 if control else 1 if bug else 0)
