"""The dims of squeeze are those of the trace. Exit 1 where the bug shows."""

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


def function(x, y):
    return x.squeeze((y.size(0), 0))


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


x = torch.tensor([3.0, 4.0]).reshape(1, 2, 1)
two, one = (x, torch.zeros(2)), (x, torch.zeros(1))
if shows("1 stated", None, one, one):
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if shows("B up to 2", ({}, {0: torch.export.Dim("B", min=1, max=2)}), two, two, one) else 0)
