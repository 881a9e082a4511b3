"""A returned diagonal of an expanded constant no longer shares the memory of the constant, which is returned too: two results of one memory are two. Exit 1 where the bug shows."""

import sys
import warnings

import torch

warnings.filterwarnings("ignore")


def run(f, backend):
    torch._dynamo.reset()
    try:
        a, d = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(torch.tensor([1.0, 2.0]))
        before = d.stride()
        a.fill_(9)  # the caller goes on with its own result
        return f"{d.tolist()}, strides {before}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:100]}"


def shows(name, f):
    found = {backend or "expected": run(f, backend) for backend in (None, "eager", "aot_eager", "inductor")}
    print(f"{name}: d after a.fill_(9)")
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["expected"] for one in found.values())


def of_a_constant(x):
    a = torch.tensor(2.0)
    return a, a.expand(2, 3).diagonal()


def unfolded(x):
    a = torch.ones(())
    return a, a.expand(6).unfold(0, 2, 1)


def row(x):
    a = torch.tensor(2.0)
    return a, a.expand(2, 3)[0]


def of_a_sum(x):
    a = x.sum()
    return a, a.expand(2, 3).diagonal()


bug = shows("a = tensor(2.), d = a.expand(2, 3).diagonal()", of_a_constant)
bug |= shows("a = ones(()), d = a.expand(6).unfold(0, 2, 1)", unfolded)
control = shows("control: a = tensor(2.), d = a.expand(2, 3)[0]", row)
control |= shows("control: a = x.sum(), d = a.expand(2, 3).diagonal()", of_a_sum)
sys.exit(2 if control else 1 if bug else 0)
