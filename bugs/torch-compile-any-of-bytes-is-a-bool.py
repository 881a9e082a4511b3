"""torch.any of uint8 is a bool under inductor. Exit 1 where the bug shows."""

import sys
import warnings

warnings.filterwarnings("ignore")
import torch


def wrong(label, f, backend):
    x = torch.tensor([[0, 3], [0, 0]], dtype=torch.uint8)
    torch._dynamo.reset()
    expected, actual = f(x), torch.compile(f, backend=backend)(x)
    print(f"{label}, {backend}: expected {expected} actual {actual}")
    return not torch.equal(expected, actual) or expected.dtype != actual.dtype


bug = wrong("any(x) * 200 + 100", lambda x: torch.any(x) * 200 + 100, "inductor")
control = wrong("any(x) * 200 + 100", lambda x: torch.any(x) * 200 + 100, "aot_eager")
control |= wrong("all(x) * 200 + 100", lambda x: torch.all(x) * 200 + 100, "inductor")
sys.exit(2 if control else int(bug))
