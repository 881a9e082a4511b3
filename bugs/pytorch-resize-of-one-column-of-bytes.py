"""A bilinear resize of bytes reads a view of one column with the stride of its column for that of its rows. Exit 1 where the bug shows."""
import sys

import torch
from torch.nn.functional import interpolate


def wrong(label, x):
    expected = interpolate(x.float(), size=(3, 2), mode="bilinear").tolist()
    actual = interpolate(x, size=(3, 2), mode="bilinear").tolist()
    print(label, "\n  expected", expected, "\n  actual  ", actual)
    return expected != actual


table = torch.tensor([[[[10, 20, 30], [40, 50, 60]]]], dtype=torch.uint8).transpose(2, 3)
bug = wrong("the first column of a transposed picture", table[..., :1])
if wrong("control: a clone of that column", table[..., :1].clone(memory_format=torch.contiguous_format).reshape(3).view(1, 1, 3, 1)):
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
