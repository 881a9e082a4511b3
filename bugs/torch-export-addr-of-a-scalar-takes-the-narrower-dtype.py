"""Addr with a 0-d operand decomposes to the dtype of the vectors: i64 becomes i16, and 130000 becomes -1072. Exit 1 where the bug shows."""

import sys

import torch


class Addr(torch.nn.Module):
    def forward(self, x, y):
        return torch.addr(x, y, y)


def shows(name, x):
    y = torch.tensor([300], dtype=torch.int16)
    expected = torch.addr(x, y, y)
    actual = torch.export.export(Addr(), (x, y)).run_decompositions().module()(x, y)
    print(f"{name}: eager {expected.tolist()} {expected.dtype}, decomposed {actual.tolist()} {actual.dtype}")
    return expected.dtype != actual.dtype or not torch.equal(expected, actual)


bug, control = shows("0-d", torch.tensor(40000)), shows("1-d", torch.tensor([40000]))
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
