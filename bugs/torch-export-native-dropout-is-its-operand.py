"""What is written to the result of native_dropout is written to its operand. Exit 1 where the bug shows."""

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


def dropped(x):
    y, _ = torch.native_dropout(x, 0.5, False)
    y.mul_(2)
    return x + 1


def cloned(x):
    y = x.clone()
    y.mul_(2)
    return x + 1


def shows(name, function):
    x = torch.tensor([1.0, 2.0])
    program = torch.export.export(Model(function), (x.clone(),), strict=False).module()
    expected, actual = function(x.clone()).tolist(), program(x.clone()).tolist()
    print(name, "| expected", expected, "| actual", actual, "|", "right" if actual == expected else "WRONG")
    return actual != expected


if shows("clone", cloned):
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if shows("native_dropout", dropped) else 0)
