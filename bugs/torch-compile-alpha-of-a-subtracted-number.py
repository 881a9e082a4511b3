"""aten.sub.Scalar and aten.add.Scalar with an alpha other than 1 do not compile in inductor: TypeError. Exit 1 where the bug shows."""

import sys
import warnings

import torch

warnings.filterwarnings("ignore")
aten = torch.ops.aten


def run(f, backend):
    torch._dynamo.reset()
    x = torch.tensor([1.0, 2.0])
    try:
        return (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x).tolist()
    except Exception as error:
        lines = [line for line in str(error).splitlines() if "TypeError" in line] or str(error).splitlines() or [""]
        return f"{type(error).__name__}: {lines[0][:100]}"


def shows(name, f):
    found = {backend or "expected": run(f, backend) for backend in (None, "eager", "aot_eager", "inductor")}
    print(name)
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["expected"] for one in found.values())


bug = shows("sub.Scalar(x, 3, 2)", lambda x: aten.sub.Scalar(x, 3, 2))
bug |= shows("sub.Scalar(x, 3, alpha=2)", lambda x: aten.sub.Scalar(x, 3, alpha=2))
bug |= shows("add.Scalar(x, 3, 2)", lambda x: aten.add.Scalar(x, 3, 2))
bug |= shows("sub_.Scalar(x, 3, 2)", lambda x: aten.sub_.Scalar(x, 3, 2))
control = shows("control: sub.Scalar(x, 3, 1)", lambda x: aten.sub.Scalar(x, 3, 1))
control |= shows("control: rsub.Scalar(x, 3, 2)", lambda x: aten.rsub.Scalar(x, 3, 2))
control |= shows("control: torch.sub(x, 3, alpha=2)", lambda x: torch.sub(x, 3, alpha=2))
sys.exit(2 if control else 1 if bug else 0)
