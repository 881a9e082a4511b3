"""diagonal of what nonzero gives does not compile. Exit 1 where the bug shows."""

import logging, sys, warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import torch


import torch._dynamo

torch._dynamo.config.capture_dynamic_output_shape_ops = True


def shows(name, function):
    x = torch.ones(2, 4)
    expected = function(x).tolist()
    try:
        actual = torch.compile(function, fullgraph=True)(x).tolist()
    except Exception as error:
        actual = str(error).splitlines()[0]
    print(name, "| expected", expected, "| actual", actual, "|", "right" if actual == expected else "WRONG")
    return actual != expected


if shows("nonzero, times 2", lambda x: torch.nonzero(x) * 2):
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if shows("nonzero, diagonal", lambda x: torch.nonzero(x).diagonal()) else 0)
