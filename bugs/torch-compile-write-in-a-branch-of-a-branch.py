"""A write in a branch that stands in a branch is lost under torch.compile. Exit 1 where the bug shows."""

import sys
import warnings

warnings.filterwarnings("ignore")
import torch


def keep(a, b):
    return (b.clone(),)


def write(a, b):
    a.mul_(2)
    return (b.sin(),)


def choose(a, b):
    return torch.cond(b.sum() < -100, keep, write, (a, b))


def wrong(label, branch, backend):
    def f(p, a, b):
        return torch.cond(p, branch, keep, (a, b))

    def written(call):
        a = torch.ones(2)
        call(torch.tensor(True), a, torch.ones(2))
        return a.tolist()

    torch._dynamo.reset()
    actual = written(torch.compile(f, backend=backend))
    print(f"{label}, {backend}: a after the call, expected [2.0, 2.0] actual {actual}")
    return actual != [2.0, 2.0]


torch.set_grad_enabled(False)
control = wrong("one branch", write, "aot_eager") | wrong("a branch in a branch", choose, "eager")
bug = wrong("a branch in a branch", choose, "aot_eager") | wrong("a branch in a branch", choose, "inductor")
sys.exit(2 if control else int(bug))
