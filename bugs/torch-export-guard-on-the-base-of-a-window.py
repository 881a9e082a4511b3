"""The program exported of a view guards the size of what it is a view of. Exit 1 where the bug shows."""

import sys
import warnings

warnings.filterwarnings("ignore")
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.unsqueeze(0).squeeze_(0)


def shows(name, example):
    """Whether what is exported of this example fails, where it is given a tensor of the same sizes."""
    x = torch.arange(1.0, 1 + example.numel()).view(example.shape).clone()
    expected, wrong = Model()(x).tolist(), False
    for stage in ("exported", "decomposed"):
        try:
            program = torch.export.export(Model(), (example,), strict=False)
            if stage == "decomposed":
                program = program.run_decompositions()
            actual = program.module()(x).tolist()
        except Exception as error:
            actual = f"{type(error).__name__}: {error}".splitlines()[0]
        print(name, stage, "| expected", expected, "| actual", actual, "|", "right" if actual == expected else "WRONG")
        wrong = wrong or actual != expected
    return wrong


if shows("of a vector", torch.zeros(2)) or shows("of a matrix", torch.zeros(2, 2)):
    print("the control must be right")
    sys.exit(2)
wrong = [shows("of two of a vector's elements", torch.zeros(4)[1:3]), shows("of a transpose", torch.zeros(2, 3).t())]
sys.exit(1 if any(wrong) else 0)
