"""Under autograd two equal calls of an op with several results (sort, max, var_mean) are one, although both are returned: two results share their memory. Exit 1 where the bug shows."""

import sys

import torch


def run(f, backend):
    torch._dynamo.reset()
    x = torch.tensor([2.0, 1.0], requires_grad=True)
    first, second = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x)
    with torch.no_grad():
        first.fill_(9)
    return second.tolist()


def shows(name, f):
    found = {backend or "eager": run(f, backend) for backend in (None, "aot_eager", "inductor")}
    print(name)
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["eager"] for one in found.values())


bug = shows("two sorts, the second after first.fill_(9)", lambda x: (torch.sort(x)[0], torch.sort(x)[0]))
control = shows("two exps, likewise", lambda x: (torch.exp(x), torch.exp(x)))
sys.exit(2 if control else 1 if bug else 0)
