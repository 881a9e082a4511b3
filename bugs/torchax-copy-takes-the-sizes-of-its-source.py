"""After x.copy_(y) x has the sizes of y. Exit 1 where the bug shows."""

import sys, warnings

warnings.filterwarnings("ignore")
import jax
import torch
import torchax

jax.config.update("jax_enable_x64", True)
env = torchax.default_env()


def on_torchax(function, *tensors):
    """What the function returns, and its operands afterwards, traced by jax.jit."""

    def traced(*arrays):
        with env:
            given = env.j2t_iso(arrays)
            return env.t2j_iso((function(*given), list(given)))

    results, after = env.j2t_copy(jax.jit(traced)(*env.t2j_copy([tensor.clone() for tensor in tensors])))
    return [results.tolist(), *[tensor.tolist() for tensor in after]]


def shows(name, function, *tensors):
    operands = [tensor.clone() for tensor in tensors]
    expected = [function(*operands).tolist(), *[tensor.tolist() for tensor in operands]]
    try:
        actual = on_torchax(function, *tensors)
    except Exception as error:
        actual = f"{type(error).__name__}: {str(error).splitlines()[0]}"
    print(name, "| expected", expected, "| actual", actual, "|", "right" if actual == expected else "WRONG")
    return actual != expected


x = torch.tensor([1.0, 2.0])
if shows("x.copy_(y), of the same sizes", lambda x, y: x.copy_(y), x, torch.tensor([5.0, 6.0])):
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if shows("x.copy_(y), y of one number", lambda x, y: x.copy_(y), x, torch.tensor([5.0])) else 0)
