"""as_strided of a cat of transposed tensors reads other elements. Exit 1 where the bug shows."""

import logging, sys, warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import torch


def windows(x):
    return torch.as_strided(torch.cat([x, x, x], -1), (2, 2), (5, 1))


def shows(name, x):
    expected, actual = windows(x).tolist(), torch.compile(windows, fullgraph=True)(x).tolist()
    print(name, "| expected", expected, "| actual", actual, "|", "right" if actual == expected else "WRONG")
    return actual != expected


x = torch.arange(4.0).reshape(1, 2, 2).permute(2, 1, 0)
if shows("contiguous", x.contiguous()):
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if shows("transposed", x) else 0)
