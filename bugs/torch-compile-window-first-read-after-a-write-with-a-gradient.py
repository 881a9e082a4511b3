"""An input that is first read after memory that it shares was written by what has a gradient cannot be traced: AssertionError False != True. Exit 1 where the bug shows."""

import sys
import warnings

import torch

warnings.filterwarnings("ignore")


def run(f, backend, own, requires_grad):
    torch._dynamo.reset()
    memory = torch.tensor([1.0, 2.0, 3.0])
    a, c = memory[:2], memory[1:].clone() if own else memory[1:]
    x = torch.tensor([2.0, 2.0], requires_grad=requires_grad)
    try:
        return (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(a, c, x).tolist()
    except Exception as error:
        return f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:100]}"


def shows(name, f, backends=("eager", "aot_eager", "inductor"), own=False, requires_grad=True):
    found = {backend or "expected": run(f, backend, own, requires_grad) for backend in (None, *backends)}
    print(name)
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["expected"] for one in found.values())


def late(a, c, x):
    a.add_(x)
    return c * 1


def early(a, c, x):
    torch.neg(c)
    a.add_(x)
    return c * 1


bug = shows("a = memory[:2], c = memory[1:], a.add_(x), c * 1", late)
control = shows("control: the same, x without a gradient", late, requires_grad=False)
control |= shows("control: the same, c with memory of its own", late, own=True)
control |= shows("control: c is read before the write too", early, backends=("eager",))
sys.exit(2 if control else 1 if bug else 0)
