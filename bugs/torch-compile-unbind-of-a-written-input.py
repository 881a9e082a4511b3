"""With gradients, a piece (unbind, chunk, split) of an input that is written in place comes back as a copy: a later write to the input is not seen in it. Exit 1 where the bug shows."""

import sys

import torch


def run(f, backend):
    torch._dynamo.reset()
    x = torch.tensor([1.0, 2.0], requires_grad=True).clone()  # no leaf may be written
    piece = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x)
    shared = piece.data_ptr() == x.data_ptr()
    with torch.no_grad():
        x.data.zero_()
    return piece.item(), "shares memory" if shared else "does not share memory"


def shows(name, f):
    found = {backend or "eager": run(f, backend) for backend in (None, "aot_eager", "inductor")}
    print(f"{name}, the piece after x.zero_()")
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return len(set(found.values())) > 1


bug = shows("x.mul_(2).unbind()[0]", lambda x: x.mul_(2).unbind()[0])
control = shows("x.unbind()[0]", lambda x: x.unbind()[0])
sys.exit(2 if control else 1 if bug else 0)
