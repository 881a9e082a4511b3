"""Element-wise ops of one operand.

One node where ONNX has the op, else eager's formula, in f32 where the dtype is a half.
Narrow integers are computed in i32 (see carried), bf16 in f32: older operators leave it out.
"""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes
import numpy as np

from adapters.onnx.graph import Graph, Value, carried
from adapters.onnx.ops import Results, operand, pointwise, wide
from adapters.onnx.promotion import Number, is_float, result_type, to_float
from adapters.worker.arrays import DTYPES
from adapters.worker.system import UnsupportedError


def worked_in(dtype: str) -> str:
    """What one node computes in."""
    return "f32" if dtype == "bf16" else carried(dtype)


def _exact(number: Any, dtype: str) -> bool:
    """Whether a half holds the number; eager computes with the number in f32."""
    if isinstance(number, Value) or dtype != "f16" or not math.isfinite(number):
        return True
    with np.errstate(over="ignore"):
        return float(DTYPES[dtype].type(number)) == float(number)


def node(graph: Graph, kind: str, *given: Value | Number, dtype: str | None = None, **attributes: Any) -> Value:
    """One ONNX node over the promoted operands, its result of the promoted dtype."""
    dtype = dtype or result_type(given)
    worked = worked_in(dtype)
    if not all(_exact(one, worked) for one in given):
        worked = "f32"
    operands = [operand(graph, one, worked) for one in given]
    return graph.cast(graph.op(kind, *operands, dtype=worked, **attributes), dtype)


_FLOAT_FUNCTIONS = (
    *("exp", "log", "sqrt", "reciprocal", "sigmoid", "erf"),
    *("sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
)


def _float_function(name: str, kind: str) -> None:
    @pointwise(f"{name}.default", in_place=True)
    def write(graph: Graph, self: Value) -> Results:
        return node(graph, kind, self, dtype=to_float(self.dtype))


for _name in _FLOAT_FUNCTIONS:
    _float_function(_name, _name.capitalize())


def _kept_for_integers(name: str, kind: str) -> None:
    @pointwise(f"{name}.default", in_place=True)
    def write(graph: Graph, self: Value) -> Results:
        return node(graph, kind, self) if is_float(self.dtype) else graph.identity(self)


for _name, _kind in {"ceil": "Ceil", "floor": "Floor", "round": "Round"}.items():
    _kept_for_integers(_name, _kind)


def truncated(graph: Graph, x: Value) -> Value:
    """Toward zero, keeping the sign of zero: ceil(-0.5) is -0."""
    negative = graph.op("Less", x, graph.number(0, x.dtype), dtype="bool")
    return graph.where(negative, graph.op("Ceil", x), graph.op("Floor", x))


def formula(graph: Graph, self: Value) -> tuple[str, Value]:
    """The dtype of a formula's result, and its operand in the dtype to compute in."""
    dtype = to_float(self.dtype)
    return dtype, graph.cast(self, wide(dtype))


@pointwise("trunc.default", in_place=True)
def trunc(graph: Graph, self: Value) -> Results:
    if not is_float(self.dtype):
        return graph.identity(self)
    dtype, x = formula(graph, self)
    return graph.cast(truncated(graph, x), dtype)


@pointwise("frac.default", in_place=True)
def frac(graph: Graph, self: Value) -> Results:
    dtype, x = formula(graph, self)
    return graph.cast(graph.op("Sub", x, truncated(graph, x)), dtype)


@pointwise("round.decimals", in_place=True)
def round_decimals(graph: Graph, self: Value, decimals: int = 0) -> Results:
    if not is_float(self.dtype):
        if decimals != 0:
            raise UnsupportedError("rounding integers to decimals")
        return graph.identity(self)
    dtype, x = formula(graph, self)
    if decimals == 0:
        return graph.cast(graph.op("Round", x), dtype)
    ten = graph.number(10.0 ** abs(decimals), x.dtype)
    up, down = ("Mul", "Div") if decimals > 0 else ("Div", "Mul")
    return graph.cast(graph.op(down, graph.op("Round", graph.op(up, x, ten)), ten), dtype)


@pointwise("neg.default", in_place=True)
def neg(graph: Graph, self: Value) -> Results:
    return node(graph, "Neg", self)


@pointwise("abs.default", in_place=True)
def absolute(graph: Graph, self: Value) -> Results:
    return graph.identity(self) if self.dtype in ("bool", "u8") else node(graph, "Abs", self)


@pointwise("sign.default", "sgn.default", in_place=True)
def sign(graph: Graph, self: Value) -> Results:
    if self.dtype == "bool":
        return graph.identity(self)
    if not is_float(self.dtype):
        return node(graph, "Sign", self)
    # Eager's sign of NaN is 0, ONNX names none.
    dtype, x = formula(graph, self)
    nan = graph.op("IsNaN", x, dtype="bool")
    return graph.cast(graph.where(nan, graph.number(0.0, x.dtype), graph.op("Sign", x)), dtype)


@pointwise("square.default", in_place=True)
def square(graph: Graph, self: Value) -> Results:
    return node(graph, "Mul", self, self, dtype="i64" if self.dtype == "bool" else None)


@pointwise("rsqrt.default", in_place=True)
def rsqrt(graph: Graph, self: Value) -> Results:
    dtype, x = formula(graph, self)
    return graph.cast(graph.op("Reciprocal", graph.op("Sqrt", x)), dtype)


@pointwise("exp2.default", in_place=True)
def exp2(graph: Graph, self: Value) -> Results:
    dtype, x = formula(graph, self)
    return graph.cast(graph.op("Pow", graph.number(2.0, x.dtype), x), dtype)


@pointwise("expm1.default", in_place=True)
def expm1(graph: Graph, self: Value) -> Results:
    dtype, x = formula(graph, self)
    return graph.cast(graph.op("Sub", graph.op("Exp", x), graph.number(1.0, x.dtype)), dtype)


@pointwise("log1p.default", in_place=True)
def log1p(graph: Graph, self: Value) -> Results:
    dtype, x = formula(graph, self)
    return graph.cast(graph.op("Log", graph.op("Add", x, graph.number(1.0, x.dtype))), dtype)


def _logarithm(name: str, base: float) -> None:
    @pointwise(f"{name}.default", in_place=True)
    def write(graph: Graph, self: Value) -> Results:
        dtype, x = formula(graph, self)
        return graph.cast(graph.op("Div", graph.op("Log", x), graph.number(math.log(base), x.dtype)), dtype)


_logarithm("log2", 2)
_logarithm("log10", 10)


def _scaled(name: str, factor: float) -> None:
    @pointwise(f"{name}.default", in_place=True)
    def write(graph: Graph, self: Value) -> Results:
        dtype, x = formula(graph, self)
        return graph.cast(graph.op("Mul", x, graph.number(factor, x.dtype)), dtype)


_scaled("deg2rad", math.pi / 180)
_scaled("rad2deg", 180 / math.pi)


@pointwise("nan_to_num.default", in_place=True)
def nan_to_num(
    graph: Graph, self: Value, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Results:
    if not is_float(self.dtype):
        return graph.identity(self)
    dtype, x = formula(graph, self)
    limit = float(np.finfo(np.float32).max if self.dtype == "f32" else _largest(self.dtype))
    is_nan = graph.op("IsNaN", x, dtype="bool")
    x = graph.where(is_nan, graph.number(0.0 if nan is None else float(nan), x.dtype), x)
    for number, default, mark in ((posinf, limit, "detect_negative"), (neginf, -limit, "detect_positive")):
        found = graph.op("IsInf", x, dtype="bool", **{mark: 0})
        x = graph.where(found, graph.number(default if number is None else float(number), x.dtype), x)
    return graph.cast(x, dtype)


def _largest(dtype: str) -> float:
    return float(ml_dtypes.finfo(DTYPES[dtype]).max)
