"""roll of x of float[B] divides by zero where B is 0, once the program is decomposed. Exit 1 where the bug shows."""

import logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.roll(x, 1, 0)


def shows(name, traced, shapes, *feeds):
    program = torch.export.export(Model(), traced, dynamic_shapes=shapes, strict=False)
    wrong = False
    for stage, module in (("exported", program.module()), ("decomposed", program.run_decompositions().module())):
        for feed in feeds:
            expected = Model()(*feed).tolist()
            try:
                actual = module(*feed).tolist()
            except Exception as error:
                actual = f"{type(error).__name__}: {error}"
            print(name, stage, "| expected", expected, "| actual", actual, "|", "right" if actual == expected else "WRONG")
            wrong = wrong or actual != expected
    return wrong


some, none = (torch.arange(3.0),), (torch.ones(0),)
if shows("x of 0 elements, stated", none, None, none):
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if shows("x of B elements", some, ({0: torch.export.Dim("B", min=0, max=3)},), some, none) else 0)
