"""Measures how far a system's arithmetic is off, for a profile: python3 adapters/measure_profile.py SYSTEM.

Runs in an environment that has the system. docs/profiles.md says what is measured and what to do with it; systems are
in measured_systems.py, the functions and their points in measured_functions.py.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from measured_functions import (
    DOUBLE_REFERENCE_ONLY,
    FORMATS,
    FUNCTIONS,
    LANE,
    Array,
    Function,
    narrow,
    points,
    widen,
)
from measured_systems import SYSTEMS, Builder, Program

SIZES = (1, 3, 7, 8, 15, 16, 17, 64, 1000)  # around the widths of vectors, whose tails may go another way
TAIL = 7  # of no width a multiple: a whole sweep goes in pieces of it
PIECES = 100  # calls a size
ENOUGH_ULP = 8  # an error up to this is told in units alone
FAR_OFF = 64  # units: near overflow no rounding error but another answer, which no profile can tell


@dataclass
class FunctionError:
    """As in a profile."""

    ulp: float
    ulp_per_operand: float = 0
    absolute: float = 0

    def members(self) -> dict[str, float]:
        return {name: value for name, value in vars(self).items() if value or name == "ulp"}


@dataclass
class Row:
    """One function in one dtype. The worst errors are the larger of the whole array's and of the pieces'."""

    function: Function
    dtype: str
    points: int
    ulp: float
    ulp_at: float
    absolute: float
    absolute_at: float
    allowed: FunctionError
    remarks: list[str] = field(default_factory=list)


def round_up(ulp: float, function: Function) -> float:
    """To what leaves room for the points that were not tried: a quarter, in steps that grow, and 1 at least.

    A division or a root of half a unit is what IEEE 754 has, and is kept.
    """
    if ulp <= 0.5:
        return 0.5 if function.name in ("division", "sqrt") else 1
    step = 0.5 if ulp < 4 else 2 ** (math.floor(math.log2(ulp)) - 2)
    return math.ceil(ulp * 1.25 / step) * step


def fit(errors: Array, units: Array, sizes: Array, function: Function, smallest_normal: float) -> FunctionError:
    """The error in a profile's terms that holds at all points and is narrowest: in the mean of their logarithms."""
    relative = errors / units
    plain = FunctionError(round_up(float(relative.max(initial=0)), function))
    if plain.ulp <= ENOUGH_ULP:
        return plain
    found = [plain]
    worst = float(errors.max(initial=0))
    for absolute in [0.0, smallest_normal, *(m * 10.0**k for k in range(-20, 1) for m in (1, 2, 5))]:
        if absolute != 0 and absolute < smallest_normal:
            continue
        room = 1 if absolute == smallest_normal else 1.25  # what flushing takes is known
        left = np.where(errors > absolute / room, relative, 0)
        told = float(f"{absolute:.8g}")
        found.append(FunctionError(round_up(float(left.max(initial=0)), function), 0, told))
        if function.grows:
            small = round_up(float(left[sizes <= 4].max(initial=0)), function)
            slope = float(((left - small) / np.maximum(sizes, 1)).max(initial=0))
            found.append(FunctionError(small, float(f"{max(slope, 0) * 1.25:.2g}"), told))
        if absolute > 1.25 * worst:
            break

    def width(allowed: FunctionError) -> float:
        ulp = allowed.ulp + allowed.ulp_per_operand * np.minimum(sizes, 1e4)
        return float(np.mean(np.log2(np.maximum(ulp, allowed.absolute / units)), dtype=np.float64))

    return min(found, key=width)


class Sweep:
    """The errors of one function at its points, over all ways in which they were handed to the system."""

    def __init__(self, function: Function, dtype: str, operands: list[Array], flushes: bool) -> None:
        self.function, self.dtype, self.operands = function, dtype, operands
        form = FORMATS[dtype]
        values = [widen(operand, dtype) for operand in operands]
        self.sizes = np.abs(values[0])
        self.exact = function.reference(*values)
        magnitude = np.abs(self.exact) if function.magnitude is None else function.magnitude(values[0], self.exact)
        self.units = form.unit(np.maximum(magnitude, np.abs(self.exact)))
        self.underflow = form.smallest_normal if flushes else form.smallest_subnormal / 2
        self.errors = np.zeros_like(self.exact)
        self.odd = np.zeros(self.exact.size, dtype=bool)
        self.remarks: list[str] = []

    def take(self, where: Array | slice, results: Array) -> None:
        """Counts the results for the points there. What a clamped operand makes of a large one is remarked upon."""
        form = FORMATS[self.dtype]
        exact, got = self.exact[where], widen(results, self.dtype)
        # The largest number and infinity are neighbours, a unit apart.
        beyond = form.max_finite * (1 + 2.0 ** (1 - form.precision))
        error = np.abs(np.clip(got, -beyond, beyond) - np.clip(exact, -beyond, beyond))
        both_beyond = (np.abs(exact) >= form.max_finite) & (np.abs(got) >= form.max_finite) & (exact * got > 0)
        error = np.where(np.isnan(exact) | both_beyond, 0, error)
        error = np.maximum(error - self.underflow, 0)
        near_overflow = ~np.isfinite(got) | (np.abs(exact) > form.max_finite / 8)
        odd = np.isnan(got) & ~np.isnan(exact) | near_overflow & (error > FAR_OFF * self.units[where])
        self.odd[where] |= odd
        self.errors[where] = np.maximum(self.errors[where], np.where(odd, 0, error))

    def row(self) -> Row:
        form = FORMATS[self.dtype]
        relative = self.errors / self.units
        worst, furthest = int(relative.argmax()), int(self.errors.argmax())
        allowed = fit(self.errors, self.units, self.sizes, self.function, form.smallest_normal)
        at = widen(self.operands[0], self.dtype)
        if self.odd.any():
            first, last = at[self.odd].min(), at[self.odd].max()
            self.remarks.append(f"{self.odd.sum()} results of another kind, x in [{first:.9g}, {last:.9g}]")
        return Row(
            self.function,
            self.dtype,
            self.exact.size,
            float(relative[worst]),
            float(at[worst]),
            float(self.errors[furthest]),
            float(at[furthest]),
            allowed,
            self.remarks,
        )


def call(function: Function, dtype: str, program: Program, operands: Sequence[Array]) -> Array:
    """The results, one a point. softmax takes lanes of 0 and x: x in a vector's middle and in its tail in turn."""
    if function.name != "softmax":
        return program(*operands)
    x = operands[0]
    lanes = np.full((x.size, LANE), narrow(np.array([-200.0]), dtype)[0])
    column = np.where(np.arange(x.size) % 2 == 0, 1, LANE - 1)
    lanes[:, 0] = narrow(np.zeros(1), dtype)[0]
    lanes[np.arange(x.size), column] = x
    return program(lanes)[np.arange(x.size), column]


def in_pieces(sweep: Sweep, program: Program, indices: Array, size: int) -> bool:
    """Hands over these points so many at a time. Whether none came back worse than it was."""
    whole = indices[: indices.size // size * size]
    operands = [operand[whole] for operand in sweep.operands]
    starts = range(0, whole.size, size)
    results = [call(sweep.function, sweep.dtype, program, [o[i : i + size] for o in operands]) for i in starts]
    before = sweep.errors[whole]
    sweep.take(whole, np.concatenate(results))
    return not (sweep.errors[whole] > before).any()


def measure(build: Builder, function: Function, dtype: str, count: int, flushes: bool) -> Row:
    """Raises what the system raises where it has no such function."""
    rng = np.random.default_rng(1)
    operands = points(function, dtype, count, rng)
    sample = operands if function.name != "softmax" else [np.zeros((operands[0].size, LANE), operands[0].dtype)]
    program = build(function.name, dtype, sample)
    sweep = Sweep(function, dtype, operands, flushes)
    sweep.take(slice(None), call(function, dtype, program, operands))
    if function.name == "softmax":
        return sweep.row()
    order = rng.permutation(sweep.exact.size)
    differing = [n for n in SIZES if not in_pieces(sweep, program, order[: n * PIECES], n)]
    if not in_pieces(sweep, program, order[: count // 20], TAIL):
        differing.append(TAIL)
    if differing:
        sweep.remarks.append(f"worse in pieces of {', '.join(map(str, sorted(set(differing))))}")
    return sweep.row()


# What a profile says beside the errors of functions. Each probe returns what it saw; None where the system has no such
# operation.


def run(build: Builder, operation: str, dtype: str, *numbers: Array) -> Array:
    """The operation's results for these numbers."""
    operands = [narrow(np.asarray(array, dtype=np.float64), dtype) for array in numbers]
    return widen(build(operation, dtype, operands)(*operands), "f32" if operation.startswith("cast") else dtype)


def once_each(build: Builder) -> Builder:
    """Builds a program for 1-dimensional operands once: it takes every size."""
    programs: dict[tuple[Any, ...], Program] = {}

    def built(operation: str, dtype: str, operands: list[Array]) -> Program:
        key = (operation, dtype, *(operand.shape if operand.ndim > 1 else 0 for operand in operands))
        if key not in programs:
            programs[key] = build(operation, dtype, operands)
        return programs[key]

    return built


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


def profile_of(release: str, rows: list[Row], seen: dict[str, Any]) -> dict[str, Any]:
    """The profile that these measurements make, to be read through before it is kept."""

    def any_of(probe: str) -> bool:
        values = [value for name, value in seen.items() if name.split()[0] == probe]
        return any(value not in (False, []) and not isinstance(value, str) for value in values)

    functions: dict[str, Any] = {}
    for row in rows:
        kind = row.function.name if row.function.kind == "" else row.function.kind
        if kind is None:
            continue
        allowed = row.allowed.members()
        before = functions.setdefault(kind, {}).get(row.dtype, {})
        for name, value in before.items():
            if name != "source":
                allowed[name] = max(allowed.get(name, 0), value)
        source = f"{row.ulp:.3g} ulp at {row.ulp_at:.6g}, {row.absolute:.2g} at {row.absolute_at:.6g}"
        functions[kind][row.dtype] = {**allowed, "source": "; ".join([source, *row.remarks])}
    bounded_through = [row.allowed.ulp for row in rows if row.function.kind is None]
    return {
        "source": f"{release}, measured by adapters/measure_profile.py",
        "flush_to_zero": any_of("flushes"),
        "rounding_mode_open": any_of("rounds_otherwise"),
        "half_accumulates_half": any_of("sums_in_half"),
        "max_drops_nan": any_of("drops_nan"),
        "one_pass_variance": any_of("variance_is_one_pass"),
        "elides_casts": any_of("elides_casts"),
        "product_precision": next((v for k, v in seen.items() if k == "product_precision" and isinstance(v, int)), 24),
        "functions": {"other": {"ulp": max([4.0, *bounded_through])}, **functions},
    }


def print_row(row: Row) -> None:
    allowed = ", ".join(f"{name} {value:g}" for name, value in row.allowed.members().items())
    print(
        f"{row.function.name:10} {row.dtype:5}{row.points:9}{row.ulp:12.4g} @ {row.ulp_at:<14.9g}"
        f"{row.absolute:10.2g} @ {row.absolute_at:<14.9g} -> {allowed}  {'; '.join(row.remarks)}",
        flush=True,
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures how far a system's functions are off.")
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the profile goes")
    parser.add_argument("--points", type=int, default=1_000_000, help="a function, but all of a half")
    parser.add_argument("--dtypes", nargs="+", default=list(FORMATS), choices=FORMATS)
    parser.add_argument("--functions", nargs="+", default=[f.name for f in FUNCTIONS], metavar="NAME")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    build = once_each(SYSTEMS[options.system][0])
    seen = probe_all(build, options.dtypes)
    for name, value in seen.items():
        print(f"{name:30} {value}", flush=True)
    rows = []
    for dtype in options.dtypes:
        for function in FUNCTIONS:
            if function.name not in options.functions or (dtype == "f64" and function.name in DOUBLE_REFERENCE_ONLY):
                continue
            try:
                row = measure(build, function, dtype, options.points, seen[f"flushes {dtype}"] is True)
            except Exception as error:
                print(f"{function.name:10} {dtype:5} not measured: {reason(error)}", flush=True)
                continue
            print_row(row)
            rows.append(row)
    if options.json:
        package = SYSTEMS[options.system][1]
        profile = profile_of(f"{package} {version(package)}", rows, seen)
        options.json.write_text(json.dumps(profile, indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
