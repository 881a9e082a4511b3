"""The functions whose error a profile names: their real values, and the points to measure them at. Needs numpy.

References are computed in double, and in long double (64 bits on x86) where float64 itself is measured, out of numpy
and the C library, whose own error of a few units is 2^-29 and 2^-10 of a unit of what is measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Array = np.ndarray
Reference = Callable[..., Array]
Interval = tuple[float, float]

INFINITY = math.inf
EVERYWHERE = (-INFINITY, INFINITY)
LANE = 19  # of softmax: a vector of 16 and a tail


@dataclass(frozen=True)
class Format:
    """A floating dtype, and how its units in the last place lie."""

    precision: int
    least_exponent: int  # of the smallest normal number
    max_finite: float

    @property
    def smallest_normal(self) -> float:
        return math.ldexp(1.0, self.least_exponent)

    @property
    def smallest_subnormal(self) -> float:
        return math.ldexp(1.0, self.least_exponent - self.precision + 1)

    def unit(self, magnitude: Array) -> Array:
        """A unit in the last place of numbers of that magnitude, as core/profile.h counts them."""
        _, exponent = np.frexp(magnitude)
        unit = np.ldexp(np.ones_like(magnitude), np.maximum(exponent, -2000) - self.precision)
        return np.where(magnitude > 0, np.maximum(unit, self.smallest_subnormal), self.smallest_subnormal)


FORMATS = {
    "f16": Format(11, -14, 65504.0),
    "bf16": Format(8, -126, float.fromhex("0x1.fep127")),
    "f32": Format(24, -126, float.fromhex("0x1.fffffep127")),
    "f64": Format(53, -1022, float.fromhex("0x1.fffffffffffffp1023")),
}


def narrow(values: Array, dtype: str) -> Array:
    """The nearest numbers of the dtype, as numpy holds it: bf16 as the high half of float32's bits, in uint16."""
    if dtype != "bf16":
        return values.astype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[dtype])
    bits = values.astype(np.float32).view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(values), 0x7FC0, rounded).astype(np.uint16)


def widen(numbers: Array, dtype: str) -> Array:
    """The numbers themselves, in the precision that references are computed in."""
    if dtype == "bf16":
        numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
    return numbers.astype(np.longdouble if dtype == "f64" else np.float64)


@dataclass(frozen=True)
class Function:
    name: str
    reference: Reference
    domain: Interval = EVERYWHERE
    dense: tuple[Interval, ...] = ((-1, 1), (-20, 20))  # where most points lie, beside those of every exponent
    landmarks: tuple[float, ...] = ()  # whose neighbours are all tried
    arity: int = 1
    grows: bool = False  # implementations may be off by more for each unit of |x|
    scale: Callable[[Array], Array] | None = None  # of x: what counts for the result, as a factor of 1's unit
    kind: str | None = ""  # its name in a profile; "" for its own, None where the oracle bounds it through others


def each(f: Callable[[float], float]) -> Reference:
    """A function of doubles, of arrays."""
    return lambda x: np.fromiter((f(v) for v in x.astype(np.float64).tolist()), np.float64, x.size)


def log_gamma(x: float) -> float:
    return INFINITY if x <= 0 and x == math.floor(x) else math.lgamma(x) if abs(x) < 1e305 else INFINITY


# -B_2k / 2k of Stirling's series.
STIRLING = (-1 / 12, 1 / 120, -1 / 252, 1 / 240, -1 / 132, 691 / 32760, -1 / 12)


def digamma(x: Array) -> Array:
    """Of positive numbers: the recurrence up to 12, and from there Stirling's series, good to 1e-17."""
    result, x = np.zeros_like(x), x.copy()
    for _ in range(12):
        small = x < 12
        result -= np.where(small, 1 / x, 0)
        x += small
    tail = np.zeros_like(x)
    for coefficient in reversed(STIRLING):
        tail = (coefficient + tail) / (x * x)
    return result + np.log(x) - 0.5 / x + tail


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def gelu(x: Array) -> Array:
    return x / 2 * each(math.erfc)(-x / math.sqrt(2))


def gelu_tanh(x: Array) -> Array:
    return x * sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))


def half_of(x: Array) -> Array:
    """gelu(x) is x / 2 times a difference of numbers near 1, which cancels on the left: so the oracle counts it."""
    return np.abs(x) / 2


PI = math.pi
TURNS = (*(k * PI / 4 for k in range(-16, 17)), 1e4, -1e4, 105615.0, 1e6)
OVERFLOW = (88.722839, 89.415987, -87.336545, -103.97208, 709.782713, -708.396419, -745.13322, 11.0898, -17.3287, 0)
ROUND_ANGLES = ((-PI, PI), (-30, 30), (-1e4, 1e4))
STEEP = ((-1, 1), (-20, 20), (-105, 90), (-746, 710))
UNIT = ((-1, 1), (0.9, 1), (-1, -0.9))
POSITIVE = ((0, 2), (0.9, 1.1), (0, 1000))

FUNCTIONS = (
    Function("division", np.divide, arity=2),
    Function("sqrt", np.sqrt, (0, INFINITY), POSITIVE, (1,)),
    Function("rsqrt", lambda x: 1 / np.sqrt(x), (0, INFINITY), POSITIVE, (1,)),
    Function("exp", np.exp, dense=STEEP, landmarks=OVERFLOW, grows=True),
    Function("exp2", np.exp2, dense=((-1, 1), (-20, 20), (-150, 128)), landmarks=(128, -126, -149), grows=True),
    Function("expm1", np.expm1, dense=STEEP, landmarks=OVERFLOW, grows=True),
    Function("log", np.log, (0, INFINITY), POSITIVE, (1,)),
    Function("log2", np.log2, (0, INFINITY), POSITIVE, (1, 2, 4)),
    Function("log10", np.log10, (0, INFINITY), POSITIVE, (1, 10)),
    Function("log1p", np.log1p, (-1, INFINITY), ((-1, 1), (-0.1, 0.1), (0, 1000)), (-1, 0)),
    Function("sin", np.sin, dense=ROUND_ANGLES, landmarks=TURNS, grows=True),
    Function("cos", np.cos, dense=ROUND_ANGLES, landmarks=TURNS, grows=True),
    Function("tan", np.tan, dense=ROUND_ANGLES, landmarks=TURNS, grows=True),
    Function("asin", np.arcsin, (-1, 1), UNIT, (-1, -0.5, 0.5, 1)),
    Function("acos", np.arccos, (-1, 1), UNIT, (-1, -0.5, 0, 0.5, 1)),
    Function("atan", np.arctan, dense=((-1, 1), (-5, 5)), landmarks=(-1, 1, 0.4142, 2.4142)),
    Function("sinh", np.sinh, dense=STEEP, landmarks=(*OVERFLOW, 1), grows=True),
    Function("cosh", np.cosh, dense=STEEP, landmarks=(*OVERFLOW, 1), grows=True),
    Function("tanh", np.tanh, dense=((-1, 1), (-10, 10)), landmarks=(0.0004, 0.625, 9.01, -9.01, 18.7)),
    Function("asinh", np.arcsinh, dense=((-1, 1), (-20, 20), (-1e4, 1e4)), landmarks=(0, 1)),
    Function("acosh", np.arccosh, (1, INFINITY), ((1, 2), (1, 20), (1, 1e4)), (1, 2)),
    Function("atanh", np.arctanh, (-1, 1), UNIT, (-1, 0, 0.5, 1)),
    Function("power", np.power, (0, INFINITY), arity=2),
    Function("sigmoid", sigmoid, dense=STEEP[:3], landmarks=OVERFLOW),
    Function("erf", each(math.erf), dense=((-1, 1), (-4, 4)), landmarks=(0.875, 1, 2, 3.92)),
    Function("lgamma", each(log_gamma), (0, INFINITY), POSITIVE, (1, 2), kind="gamma"),
    Function("digamma", digamma, (0, INFINITY), POSITIVE, (1, 1.4616321), kind="gamma"),
    Function("gelu", gelu, dense=((-1, 1), (-14, 14)), scale=half_of, kind="other"),
    Function("gelu_tanh", gelu_tanh, dense=((-1, 1), (-14, 14)), scale=half_of, kind="other"),
    Function("softmax", sigmoid, dense=((-20, 5), (-105, 5)), kind=None),
)
DOUBLE_REFERENCE_ONLY = {"erf", "lgamma", "digamma", "gelu"}  # no long double of these in numpy: not for float64


def neighbours(landmark: float, dtype: str, count: int) -> Array:
    """The `count` numbers on either side of that one."""
    start = narrow(np.array([landmark]), dtype)
    integer = {"f32": np.int32, "f64": np.int64}[dtype]
    bits = start.view(integer)[0] + np.arange(-count, count + 1, dtype=integer)
    return bits.view(start.dtype)


def random_bits(dtype: str, each_exponent: int, rng: np.random.Generator) -> Array:
    """Numbers of every exponent and both signs, all with the extreme mantissas among them."""
    form = FORMATS[dtype]
    width = {"f32": 32, "f64": 64}[dtype]
    fraction = form.precision - 1
    exponents = np.repeat(np.arange(2 ** (width - 1 - fraction) - 1, dtype=np.uint64), each_exponent)
    mantissas = rng.integers(0, 2**fraction, exponents.size, dtype=np.uint64)
    mantissas[::each_exponent] = 0
    mantissas[1::each_exponent] = 2**fraction - 1
    signs = rng.integers(0, 2, exponents.size, dtype=np.uint64)
    bits = signs << np.uint64(width - 1) | exponents << np.uint64(fraction) | mantissas
    return bits.astype(np.uint32).view(np.float32) if dtype == "f32" else bits.view(np.float64)


def all_halves(dtype: str) -> Array:
    bits = np.arange(2**16, dtype=np.uint32).astype(np.uint16)
    return bits if dtype == "bf16" else bits.view(np.float16)


def pairs(function: Function, dtype: str, count: int, rng: np.random.Generator) -> list[Array]:
    """Operands of a division or a power, of all exponents and near 1; powers have numbers as results, more or less."""
    form = FORMATS[dtype]
    reach = -form.least_exponent + 1
    mantissas = 1 + rng.random((2, count))
    if function.name == "division":
        exponents = rng.integers(-reach - form.precision + 2, reach + 1, (2, count))
        exponents[:, : count // 2] = rng.integers(-3, 4, (2, count // 2))
        numbers = np.ldexp(mantissas * rng.choice([-1, 1], (2, count)), exponents)
        return [narrow(numbers[0], dtype), narrow(numbers[1], dtype)]
    base = np.ldexp(mantissas[0], rng.integers(-reach, reach - 1, count))
    base[: count // 3] = 1 + (rng.random(count // 3) - 0.5) / rng.choice([1, 16, 256, 4096], count // 3)
    base = narrow(base, dtype)
    logarithm = np.log2(np.maximum(widen(base, dtype), form.smallest_subnormal).astype(np.float64))
    logarithm[logarithm == 0] = 1
    exponent = (rng.random(count) * 2 - 1) * (reach + form.precision) / logarithm
    exponent[::7] = np.round(np.clip(exponent[::7], -8, 8) * 2) / 2
    return [base, narrow(np.clip(exponent, -form.max_finite, form.max_finite), dtype)]


def points(function: Function, dtype: str, count: int, rng: np.random.Generator) -> list[Array]:
    """About `count` operands, as the dtype holds them; all of a half's numbers."""
    if function.arity == 2:
        return pairs(function, dtype, count, rng)
    if dtype in ("f16", "bf16"):
        numbers = all_halves(dtype)
    else:
        if function.domain != EVERYWHERE:
            count = count * 8 // 5  # what is outside falls away
        exponents = 1 - 2 * FORMATS[dtype].least_exponent
        parts = [random_bits(dtype, max(4, count // 2 // exponents), rng)]
        parts += [neighbours(landmark, dtype, count // 1000) for landmark in (0.0, *function.landmarks)]
        share = count // 2 // len(function.dense)
        parts += [narrow(rng.uniform(*interval, share), dtype) for interval in function.dense]
        numbers = np.concatenate(parts)
    values = widen(numbers, dtype)
    low, high = function.domain
    return [numbers[np.isfinite(values) & (values >= low) & (values <= high)]]
