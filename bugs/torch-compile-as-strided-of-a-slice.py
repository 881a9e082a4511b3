"""as_strided of a slice of an intermediate reads beyond memory. Exit 1 where the bug shows."""

import logging, sys, warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import torch


def of_the_slice(x):
    return torch.as_strided((x + 1)[:, 2:], (2,), (3,))


def of_the_whole(x):
    return torch.as_strided(x + 1, (2,), (3,), 2)


def shows(name, function):
    x = torch.tensor([[0, 1, 2], [2, 1, 0]])
    expected, actual = function(x).tolist(), torch.compile(function, fullgraph=True)(x).tolist()
    if actual != expected:  # what lies behind differs from run to run
        actual = f"{actual[:1]} and what lies behind the slice"
    print(name, "| expected", expected, "| actual", actual, "|", "right" if actual == expected else "WRONG")
    return actual != expected


if shows("as_strided(x + 1, (2,), (3,), 2)", of_the_whole):
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if shows("as_strided((x + 1)[:, 2:], (2,), (3,))", of_the_slice) else 0)
