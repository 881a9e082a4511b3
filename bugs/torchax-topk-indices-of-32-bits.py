"""The indices of topk are of i32. Exit 1 where the bug shows."""

import sys, warnings

warnings.filterwarnings("ignore")
import jax
import torch
from torchax.export import exported_program_to_jax

jax.config.update("jax_enable_x64", True)


def on_torchax(function, *tensors):
    class Model(torch.nn.Module):
        def forward(self, *given):
            return function(*given)

    weights, lowered = exported_program_to_jax(torch.export.export(Model(), tensors, strict=False))
    (result,) = jax.jit(lowered)(weights, tuple(tensor.numpy() for tensor in tensors))
    return [str(result.dtype), result.tolist()]


def shows(name, function, *tensors):
    result = function(*tensors)
    expected = [str(result.dtype).removeprefix("torch."), result.tolist()]
    actual = on_torchax(function, *tensors)
    print(name, "| expected", expected, "| actual", actual, "|", "right" if actual == expected else "WRONG")
    return actual != expected


x = torch.tensor([6.0, 2.0, 3.0])
if shows("x.argmax(0)", lambda x: x.argmax(0), x):
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if shows("x.topk(1)[1]", lambda x: x.topk(1)[1], x) else 0)
