"""Measures how far a system's arithmetic is off, for a profile: python3 adapters measure.profile SYSTEM.

Runs in an environment that has the system. docs/profiles.md says what is measured and what to do with it; systems are
in systems.py, the functions and their points in functions.py.
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

from adapters.measure.functions import (
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
from adapters.measure.probes import SIZES, probe_all, reason
from adapters.measure.systems import SYSTEMS, Builder, Program, once_each

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
    """The error in a profile's terms that holds at all points and is narrowest for ordinary operands.

    Narrow in the mean of the logarithm: where many exponents meet, one large radius must not outweigh all others.
    """
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

    ordinary = (sizes >= 2.0**-6) & (sizes <= 32)

    def width(allowed: FunctionError) -> float:
        ulp = allowed.ulp + allowed.ulp_per_operand * sizes[ordinary]
        return float(np.mean(np.log2(np.maximum(ulp, allowed.absolute / units[ordinary])), dtype=np.float64))

    return min(found, key=width)


class Sweep:
    """The errors of one function at its points, over all ways in which they were handed to the system."""

    def __init__(self, function: Function, dtype: str, operands: list[Array], flushes: bool) -> None:
        self.function, self.dtype, self.operands = function, dtype, operands
        form = FORMATS[dtype]
        values = [widen(operand, dtype) for operand in operands]
        self.sizes = np.abs(values[0])
        self.exact = function.reference(*values)
        self.units = form.unit(np.abs(self.exact))
        if function.scale is not None:
            self.units = np.maximum(function.scale(values[0]) * 2.0 ** (1 - form.precision), form.smallest_subnormal)
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
    if flushes:  # a subnormal operand may count as 0 there, which is no error of the function's
        normal = [(x == 0) | (x >= FORMATS[dtype].smallest_normal) for x in (np.abs(widen(o, dtype)) for o in operands)]
        operands = [operand[np.logical_and.reduce(normal)] for operand in operands]
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


def allowed_forms(seen: dict[str, Any]) -> list[dict[str, Any]]:
    """The forms that the probes met, of all ops: what was met in one may be met in others, which were not probed."""
    allows: list[dict[str, Any]] = []
    probes = {
        "sums_in_half": "accumulate_in_half",
        "drops_nan": "dropped_nan",
        "variance_is_one_pass": "one_pass_variance",
    }
    for probe, form in probes.items():
        # A probe that did not run has left its error, a text.
        met = {name: value for name, value in seen.items() if name.split()[0] == probe and not isinstance(value, str)}
        met = {name: value for name, value in met.items() if value}
        if not met:
            continue
        listed = [f"{name}: {', '.join(value)}" for name, value in met.items() if isinstance(value, list)]
        allows.append({"form": form, **({"source": "; ".join(listed)} if listed else {})})
    # The oracle lets every rounding be left out anyway.
    if isinstance(seen.get("elides_casts"), list) and "up" in seen["elides_casts"]:
        allows.append({"form": "elided_casts"})
    return allows


def profile_of(release: str, rows: list[Row], seen: dict[str, Any]) -> dict[str, Any]:
    """The profile that these measurements make, to be read through before it is kept."""

    def any_of(probe: str) -> bool:
        values = [value for name, value in seen.items() if name.split()[0] == probe]
        return any(value not in (False, []) and not isinstance(value, str) for value in values)

    functions: dict[str, Any] = {"other": {"ulp": 4.0}}
    for row in rows:
        kind = row.function.name if row.function.kind == "" else row.function.kind
        if kind == "other":
            functions["other"]["ulp"] = max(functions["other"]["ulp"], row.allowed.ulp)
        elif kind is not None:
            before = functions.setdefault(kind, {}).get(row.dtype, {})
            allowed = {name: value for name, value in before.items() if name != "source"}
            for name, value in row.allowed.members().items():
                allowed[name] = max(allowed.get(name, 0), value)
            source = f"{row.ulp:.3g} ulp at {row.ulp_at:.6g}, {row.absolute:.2g} at {row.absolute_at:.6g}"
            functions[kind][row.dtype] = {**allowed, "source": "; ".join([source, *row.remarks])}
    return {
        "source": f"{release}, measured by adapters/measure/profile.py",
        "flush_to_zero": any_of("flushes"),
        "rounding_mode_open": any_of("rounds_otherwise"),
        "allows": allowed_forms(seen),
        "product_precision": next((v for k, v in seen.items() if k == "product_precision" and isinstance(v, int)), 24),
        "functions": functions,
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
