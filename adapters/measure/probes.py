"""What a profile says beside the errors of functions. Needs numpy.

Each probe returns what it saw, in the terms of core/profile.h: a yes or no, a number, or the operations of which it is
true.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from adapters.measure.functions import FORMATS, Array, narrow, widen
from adapters.measure.systems import Builder

SIZES = (1, 3, 7, 8, 15, 16, 17, 64, 1000)  # around the widths of vectors, whose tails may go another way


def run(build: Builder, operation: str, dtype: str, *numbers: Array) -> Array:
    """The operation's results for these numbers."""
    operands = [narrow(np.asarray(array, dtype=np.float64), dtype) for array in numbers]
    return widen(build(operation, dtype, operands)(*operands), "f32" if operation.startswith("cast") else dtype)


def flushes(build: Builder, dtype: str) -> bool:
    """Whether a product of normal numbers that is subnormal comes out as 0, or a subnormal operand counts as 0."""
    form = FORMATS[dtype]
    normal = [np.full(n, form.smallest_normal) for n in SIZES]
    halved = [run(build, "multiply", dtype, x, np.full(x.size, 0.75)) for x in normal]
    doubled = [run(build, "multiply", dtype, x / 4, np.full(x.size, 4.0)) for x in normal]
    return any((result == 0).any() for result in halved + doubled)


def rounds_otherwise(build: Builder, dtype: str) -> bool:
    """Whether some sum or product is not the nearest number."""
    rng = np.random.default_rng(2)
    # Of 30 bits at most, so that the reference is exact.
    a, b = (widen(narrow(np.ldexp(rng.integers(2**29, 2**31, 100_003), -29), dtype), dtype) for _ in range(2))
    pairs = [(run(build, "add", dtype, a, b), a + b), (run(build, "multiply", dtype, a, b), a * b)]
    return any((got != widen(narrow(exact, dtype), dtype)).any() for got, exact in pairs)


def drops_nan(build: Builder, dtype: str) -> list[str]:
    """The operations that return a number where an operand is NaN."""
    found = []
    for size in (1, 17, 64):
        nan, one = np.full(size, math.nan), np.ones(size)
        mixed = np.stack([nan, one, nan, one, one], 1)
        cases = {"maximum": (nan, one), "minimum": (nan, one), "relu": (nan,), "clamp": (nan,), "amax": (mixed,)}
        found += [name for name, operands in cases.items() if not np.isnan(run(build, name, dtype, *operands)).all()]
        swapped = [name for name in ("maximum", "minimum") if not np.isnan(run(build, name, dtype, one, nan)).all()]
        found += swapped
    return sorted(set(found))


def variance_is_one_pass(build: Builder, dtype: str) -> bool:
    """Whether a layer norm loses the variance of a lane that lies far from 0: by n u mean^2, not by (n u mean)^2."""
    rng = np.random.default_rng(3)
    lanes = widen(narrow(2000 + rng.standard_normal((8, 64)), dtype), dtype)
    deviations = lanes - lanes.mean(1, keepdims=True)
    wanted = deviations / np.sqrt((deviations**2).mean(1, keepdims=True) + 1e-5)
    got = run(build, "layer_norm", dtype, lanes, np.ones(64))
    scale = (got * wanted).sum(1) / (wanted**2).sum(1)  # what is off in the mean moves all, and not this
    return bool(np.abs(scale - 1).max() > 1e-3)


def sums_in_half(build: Builder, dtype: str) -> list[str]:
    """The operations whose result is further from the real one than one rounding of what was summed in f32."""
    rng = np.random.default_rng(4)
    form = FORMATS[dtype]
    x, w = (widen(narrow(rng.uniform(0.25, 1, shape), dtype), dtype) for shape in ((16, 1024), (1024, 16)))
    image, kernel = x.reshape(1, 64, 16, 16), w.reshape(16, 64, 4, 4)[:, :, :3, :3]
    padded = np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    cases = {
        "sum": ((x,), x.sum(1)),
        "mean": ((x,), x.mean(1)),
        "matmul": ((x, w), x @ w),
        "convolution": ((image, kernel), np.einsum("nchwij,ocij->nohw", windows, kernel)),
    }
    found = []
    for name, (operands, exact) in cases.items():
        error = np.abs(run(build, name, dtype, *operands) - exact) / form.unit(exact)
        if error.max() > 0.51:
            found.append(name)
    return found


def product_precision(build: Builder) -> int:
    """The bits of the factors of a product in f32: 24 where the error is that of f32's sums."""
    rng = np.random.default_rng(5)
    a, b = (widen(narrow(rng.standard_normal(shape), "f32"), "f32") for shape in ((64, 96), (96, 64)))
    image, kernel = a.reshape(1, 6, 32, 32), b.reshape(-1)[: 8 * 6 * 9].reshape(8, 6, 3, 3)
    padded = np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), (2, 3))
    total = "nchwij,ocij->nohw"
    pairs = [
        (run(build, "matmul", "f32", a, b) - a @ b, np.abs(a) @ np.abs(b), 96),
        (
            run(build, "convolution", "f32", image, kernel) - np.einsum(total, windows, kernel),
            np.einsum(total, np.abs(windows), np.abs(kernel)),
            54,
        ),
    ]
    worst = max(float((np.abs(error) / (size * (terms + 1) * 2.0**-24)).max()) for error, size, terms in pairs)
    return 24 if worst <= 1 else 11 if worst <= 64 else 8


def elides_casts(build: Builder) -> list[str]:
    """up: the exponential of a half that was cast up is a half's; down: a cast to a half and back does not round."""
    x = widen(narrow(np.linspace(-2, 2, 999), "f16"), "f16")
    found = []
    up = run(build, "cast_up", "f16", x)
    if (up == widen(narrow(up, "f16"), "f16")).all():
        found.append("up")
    third = widen(narrow(np.linspace(-2, 2, 997) / 3, "f32"), "f32")
    if (run(build, "cast_down_up", "f32", third) != widen(narrow(third, "f16"), "f16")).any():
        found.append("down")
    return found


def probe_all(build: Builder, dtypes: Sequence[str]) -> dict[str, Any]:
    """What each probe saw, by its name and dtype; why not, where it could not look."""
    halves = [dtype for dtype in dtypes if dtype in ("f16", "bf16")]
    plan = [(probe, (dtype,)) for dtype in dtypes for probe in (flushes, rounds_otherwise, drops_nan)]
    plan += [(variance_is_one_pass, ("f32",)), (product_precision, ()), (elides_casts, ())]
    plan += [(sums_in_half, (dtype,)) for dtype in halves]
    seen = {}
    for probe, arguments in plan:
        name = " ".join([probe.__name__, *arguments])
        try:
            seen[name] = probe(build, *arguments)
        except Exception as error:  # whatever a system refuses with is an answer
            seen[name] = f"not measured: {reason(error)}"
    return seen


def reason(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:100]
