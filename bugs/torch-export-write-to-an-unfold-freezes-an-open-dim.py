"""A write to an unfold makes a program for one size of an open dim. Exit 1 where the bug shows."""

import logging, sys, warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import torch


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *given):
        return self.function(*given)


def function(x):
    x.unfold(1, 1, 1).mul_(2)
    return x


def shows(name, shapes, traced, *feeds):
    program = torch.export.export(Model(function), traced, dynamic_shapes=shapes and (shapes,), strict=False)
    program = program.run_decompositions().module()
    wrong = False
    for feed in feeds:
        expected = function(*(tensor.clone() for tensor in feed)).tolist()
        try:
            actual = program(*(tensor.clone() for tensor in feed)).tolist()
        except Exception as error:
            actual = f"{type(error).__name__}: {error}"
        print(name, "| expected", expected, "| actual", actual, "|", "right" if actual == expected else "WRONG")
        wrong = wrong or actual != expected
    return wrong


four, two = (torch.arange(4.0).reshape(1, 1, 4),), (torch.arange(2.0).reshape(1, 1, 2),)
if shows("2 stated", None, two, two):
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if shows("B up to 4", ({2: torch.export.Dim("B", min=1, max=4)},), four, four, two) else 0)
