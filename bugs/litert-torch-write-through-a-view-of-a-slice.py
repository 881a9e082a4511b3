"""A write through a view of a strided slice is lost. Exit 1 where the bug shows."""

import os, sys, warnings

warnings.filterwarnings("ignore")
reported = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # the converter reports its progress
import litert_torch
import torch


class Model(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *given):
        return self.function(*given)


def shows(name, function, *tensors):
    result = function(*(tensor.clone() for tensor in tensors))
    expected = [str(result.dtype).removeprefix("torch."), result.tolist()]
    model = litert_torch.convert(Model(function).eval(), tuple(tensor.clone() for tensor in tensors), enable_x64=True)
    try:
        found = torch.as_tensor(model(*(tensor.numpy() for tensor in tensors)))
        actual = [str(found.dtype).removeprefix("torch."), found.tolist()]
    except Exception as error:
        actual = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    verdict = "right" if actual == expected else "WRONG"
    print(name, "| expected", expected, "| actual", actual, "|", verdict, file=reported, flush=True)
    return actual != expected


def through_a_slice(x):
    x[::2].mul_(2)
    return x + 0


def through_a_view(x):
    x[::2].view(3).mul_(2)
    return x + 0


x = torch.arange(5.0)
if shows("x[::2].mul_(2)", through_a_slice, x):
    print("the control must be right", file=reported, flush=True)
    sys.exit(2)
sys.exit(1 if shows("x[::2].view(3).mul_(2)", through_a_view, x) else 0)
