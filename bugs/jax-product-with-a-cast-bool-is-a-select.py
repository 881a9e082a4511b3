"""JAX 0.10.2, CPU: under jit a product with a bool that was cast is a select: infinity times False is 0, not NaN.
Exit 1 where the bug shows."""

import sys

import jax
import numpy as np


def product(y, p):
    return y * p.astype(y.dtype)


def wrong(label, function, y, p, expected):
    actual = np.asarray(function(y, p)).tolist()
    right = np.array_equal(actual, expected, equal_nan=True)
    print(f"{label}: expected {expected}, actual {actual}: {'right' if right else 'WRONG'}")
    return not right


nan, inf = float("nan"), float("inf")
y, p = np.array([inf, -inf, nan, 3], np.float32), np.array([False] * 4)
one, no = np.float32(inf), np.bool_(False)
control = wrong("control, without jit", product, y, p, [nan, nan, nan, 0.0])
control |= wrong(
    "control, a number that is 0", jax.jit(lambda y, x: y * x), y, np.zeros(4, np.float32), [nan, nan, nan, 0.0]
)
bug = wrong("under jit", jax.jit(product), y, p, [nan, nan, nan, 0.0])
bug |= wrong("under jit, 0-d", jax.jit(product), one, no, nan)
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
