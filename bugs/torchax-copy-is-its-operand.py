"""A copy has what is written to its source afterwards. Exit 1 where the bug shows."""

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


def copied(x):
    kept = x.to(torch.float32, copy=True)
    x.add_(10)
    return kept


def cloned(x):
    kept = x.clone()
    x.add_(10)
    return kept


x = torch.tensor([1.0, 2.0])
if shows("clone", cloned, x):
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if shows("to(copy=True)", copied, x) else 0)
