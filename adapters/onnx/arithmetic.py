"""Element-wise ops of several operands, which broadcast and are promoted."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from adapters.onnx.graph import Graph, Value, carried
from adapters.onnx.ops import IN_PLACE, Results, common, function, operand, pointwise, wide
from adapters.onnx.pointwise import formula, node, truncated, worked_in
from adapters.onnx.promotion import Number, is_float, result_type, to_float
from adapters.worker.arrays import DTYPES
from adapters.worker.system import UnsupportedError


@pointwise("add.Tensor", "add.Scalar", in_place=True)
def add(graph: Graph, self: Value, other: Value | Number, alpha: Number = 1) -> Results:
    return _plus(graph, "Add", self, other, alpha)


@pointwise("sub.Tensor", "sub.Scalar", in_place=True)
def sub(graph: Graph, self: Value, other: Value | Number, alpha: Number = 1) -> Results:
    return _plus(graph, "Sub", self, other, alpha)


@pointwise("rsub.Tensor", "rsub.Scalar")
def rsub(graph: Graph, self: Value, other: Value | Number, alpha: Number = 1) -> Results:
    return _plus(graph, "Sub", other, self, alpha)


def _plus(graph: Graph, kind: str, a: Value | Number, b: Value | Number, alpha: Number) -> Value:
    if alpha == 1:
        return node(graph, kind, a, b)
    dtype = result_type([a, b])
    worked = wide(carried(dtype))
    scaled = graph.op("Mul", operand(graph, b, worked), graph.number(alpha, worked))
    return graph.cast(graph.op(kind, operand(graph, a, worked), scaled), dtype)


@pointwise("mul.Tensor", "mul.Scalar", in_place=True)
def mul(graph: Graph, self: Value, other: Value | Number) -> Results:
    return node(graph, "Mul", self, other)


@pointwise("maximum.default", "max.other")
def maximum(graph: Graph, self: Value, other: Value) -> Results:
    return node(graph, "Max", self, other)


@pointwise("minimum.default", "min.other")
def minimum(graph: Graph, self: Value, other: Value) -> Results:
    return node(graph, "Min", self, other)


def _extremum_without_nan(name: str, kind: str) -> None:
    @pointwise(name)
    def write(graph: Graph, self: Value, other: Value) -> Results:
        dtype, (a, b) = common(graph, self, other)
        if not is_float(dtype):
            return node(graph, kind, self, other)
        a, b = graph.expand(a, _shape(a, b)), graph.expand(b, _shape(a, b))
        nan_a, nan_b = (graph.op("IsNaN", x, dtype="bool") for x in (a, b))
        return graph.cast(graph.where(nan_a, b, graph.where(nan_b, a, graph.op(kind, a, b))), dtype)


def _shape(a: Value, b: Value) -> tuple[int, ...]:
    return tuple(np.broadcast_shapes(a.shape, b.shape))


_extremum_without_nan("fmax.default", "Max")
_extremum_without_nan("fmin.default", "Min")


@pointwise("div.Tensor", "div.Scalar", in_place=True)
def div(graph: Graph, self: Value, other: Value | Number) -> Results:
    return node(graph, "Div", self, other, dtype=to_float(result_type([self, other])))


@pointwise("div.Tensor_mode", "div.Scalar_mode", in_place=True)
def div_mode(graph: Graph, self: Value, other: Value | Number, rounding_mode: str | None = None) -> Results:
    if rounding_mode is None:
        return div(graph, self, other)
    if rounding_mode == "floor":
        return floor_divide(graph, self, other)
    dtype, (a, b) = common(graph, self, other)
    if is_float(dtype):
        return graph.cast(truncated(graph, graph.op("Div", a, b)), dtype)
    return node(graph, "Div", self, other)  # of integers it truncates


@pointwise("floor_divide.default", "floor_divide.Scalar")
def floor_divide(graph: Graph, self: Value, other: Value | Number) -> Results:
    dtype = result_type([self, other])
    if not is_float(dtype):
        a, b = (operand(graph, one, carried(dtype)) for one in (self, other))
        quotient, rest = graph.op("Div", a, b), graph.op("Mod", a, b, fmod=1)
        below = graph.op("And", _nonzero(graph, rest), _signs_differ(graph, rest, b), dtype="bool")
        return graph.cast(graph.op("Sub", quotient, graph.cast(below, a.dtype)), dtype)
    # div_floor_floating of BinaryOpsKernel.cpp: the quotient of what fmod leaves, then to the nearest below.
    _, (a, b) = common(graph, self, other)
    rest = graph.op("Mod", a, b, fmod=1)
    quotient = graph.op("Div", graph.op("Sub", a, rest), b)
    one = graph.number(1.0, a.dtype)
    below = graph.op("And", _nonzero(graph, rest), _signs_differ(graph, rest, b), dtype="bool")
    quotient = graph.where(below, graph.op("Sub", quotient, one), quotient)
    floored = graph.op("Floor", quotient)
    high = graph.op("Greater", graph.op("Sub", quotient, floored), graph.number(0.5, a.dtype), dtype="bool")
    floored = graph.where(high, graph.op("Add", floored, one), floored)
    plain = graph.op("Div", a, b)
    signed_zero = graph.op("Mul", plain, graph.number(0.0, a.dtype))
    floored = graph.where(_nonzero(graph, quotient), floored, signed_zero)
    return graph.cast(graph.where(_nonzero(graph, b), floored, plain), dtype)


def _nonzero(graph: Graph, x: Value) -> Value:
    return graph.op("Not", graph.op("Equal", x, graph.number(0, x.dtype), dtype="bool"))


def _signs_differ(graph: Graph, a: Value, b: Value) -> Value:
    below = [graph.op("Less", x, graph.number(0, x.dtype), dtype="bool") for x in (a, b)]
    return graph.op("Xor", *below, dtype="bool")


IN_PLACE |= {  # whose twin has another overload's name
    "aten.floor_divide_.Tensor": "aten.floor_divide.default",
    "aten.floor_divide_.Scalar": "aten.floor_divide.Scalar",
}


@pointwise("fmod.Tensor", "fmod.Scalar", in_place=True)
def fmod(graph: Graph, self: Value, other: Value | Number) -> Results:
    return node(graph, "Mod", self, other, fmod=1)


@pointwise("remainder.Tensor", "remainder.Scalar", in_place=True)
def remainder(graph: Graph, self: Value | Number, other: Value | Number) -> Results:
    dtype, (a, b) = common(graph, self, other)
    if not is_float(dtype):
        return node(graph, "Mod", self, other, fmod=0)
    rest = graph.op("Mod", a, b, fmod=1)
    adjust = graph.op("And", _nonzero(graph, rest), _signs_differ(graph, rest, b), dtype="bool")
    return graph.cast(graph.where(adjust, graph.op("Add", rest, b), rest), dtype)


pointwise("remainder.Scalar_Tensor")(remainder)


@pointwise("addcmul.default", in_place=True)
def addcmul(graph: Graph, self: Value, tensor1: Value, tensor2: Value, value: Number = 1) -> Results:
    return _addc(graph, "Mul", self, tensor1, tensor2, value)


@pointwise("addcdiv.default", in_place=True)
def addcdiv(graph: Graph, self: Value, tensor1: Value, tensor2: Value, value: Number = 1) -> Results:
    return _addc(graph, "Div", self, tensor1, tensor2, value)


def _addc(graph: Graph, kind: str, self: Value, a: Value, b: Value, value: Number) -> Value:
    dtype = result_type([self, a, b])
    worked = wide(carried(dtype))
    self, a, b = (graph.cast(x, worked) for x in (self, a, b))
    if value != 1:
        a = graph.op("Mul", a, graph.number(value, worked))
    return graph.cast(graph.op("Add", self, graph.op(kind, a, b)), dtype)


@pointwise("lerp.Scalar", "lerp.Tensor", in_place=True)
def lerp(graph: Graph, self: Value, end: Value, weight: Value | Number) -> Results:
    """Lerp.h: from the nearer end, so that both ends are met exactly."""
    worked = wide(self.dtype)
    a, b = graph.cast(self, worked), graph.cast(end, worked)
    w = operand(graph, weight, worked)
    one, span = graph.number(1.0, worked), graph.op("Sub", b, a)
    low = graph.op("Add", a, graph.op("Mul", w, span))
    high = graph.op("Sub", b, graph.op("Mul", span, graph.op("Sub", one, w)))
    near = graph.op("Less", graph.op("Abs", w), graph.number(0.5, worked), dtype="bool")
    return graph.cast(graph.where(near, low, high), self.dtype)


@pointwise("pow.Tensor_Scalar", "pow.Tensor_Tensor")
@function("pow.Scalar")
def power(graph: Graph, self: Value | Number, exponent: Value | Number) -> Results:
    dtype = result_type([self, exponent])
    if is_float(dtype):
        return node(graph, "Pow", self, exponent)
    if isinstance(exponent, int) and exponent >= 0:
        return graph.cast(_product(graph, operand(graph, self, carried(dtype)), int(exponent)), dtype)
    raise UnsupportedError("ONNX leaves integer powers that overflow, or have negative exponents, open")


def _product(graph: Graph, base: Value, exponent: int) -> Value:
    """base ** exponent of integers as products, which wrap: by squares, the lowest bit of the exponent first."""
    if exponent == 0:
        return graph.op("Add", graph.op("Sub", base, base), graph.number(1, base.dtype))
    result = base if exponent & 1 else None
    square = base
    while exponent := exponent >> 1:
        square = graph.op("Mul", square, square)
        if exponent & 1:
            result = graph.op("Mul", result, square) if result else square
    return graph.identity(base) if result is base else result


IN_PLACE |= {
    "aten.pow_.Tensor": "aten.pow.Tensor_Tensor",
    "aten.pow_.Scalar": "aten.pow.Tensor_Scalar",
    "aten.float_power_.Tensor": "aten.float_power.Tensor_Tensor",
    "aten.float_power_.Scalar": "aten.float_power.Tensor_Scalar",
    "aten.ldexp_.default": "aten.ldexp.Tensor",
}


@pointwise("float_power.Tensor_Tensor", "float_power.Tensor_Scalar")
@function("float_power.Scalar")
def float_power(graph: Graph, self: Value | Number, exponent: Value | Number) -> Results:
    return graph.op("Pow", operand(graph, self, "f64"), operand(graph, exponent, "f64"))


@pointwise("ldexp.Tensor")
def ldexp(graph: Graph, self: Value, other: Value) -> Results:
    """x · 2^y, the power in y's own dtype, or f32 where both are integers, as eager composes it."""
    if is_float(self.dtype) and not is_float(other.dtype):
        return _shifted(graph, self, other)
    dtype = result_type([self, other])
    exponent = graph.cast(other, result_type([2.0, other]))
    factor = graph.op("Pow", graph.number(2.0, exponent.dtype), exponent)
    return node(graph, "Mul", self, factor, dtype=to_float(dtype))


def _shifted(graph: Graph, self: Value, count: Value) -> Value:
    """x · 2^n of a float and any integer, rounded once: 2^n alone may be infinite or 0.

    Three powers, clipped to what is normal, reach from one end of the range to the other; the one that is clipped least
    comes first, so that only the last product that is not 0 is rounded.
    """
    dtype, shifted = formula(graph, self)
    info = ml_dtypes.finfo(DTYPES[shifted.dtype])
    low, high = (graph.number(float(number), shifted.dtype) for number in (info.minexp, info.maxexp - 1))
    rest, powers = graph.cast(count, shifted.dtype), []
    for _ in range(3):
        part = graph.op("Clip", rest, low, high, shape=rest.shape)
        powers.append(graph.op("Pow", graph.number(2.0, part.dtype), part))
        rest = graph.op("Sub", rest, part)
    for power in reversed(powers):
        shifted = graph.op("Mul", shifted, power)
    return graph.cast(shifted, dtype)


@pointwise("xlogy.Tensor", "xlogy.Scalar_Other", in_place=True)
def xlogy(graph: Graph, self: Value | Number, other: Value | Number) -> Results:
    return _times_log(graph, self, other, plus_one=False)


pointwise("xlogy.Scalar_Self")(xlogy)


@pointwise("special_xlog1py.default", "special_xlog1py.other_scalar", "special_xlog1py.self_scalar")
def xlog1py(graph: Graph, self: Value | Number, other: Value | Number) -> Results:
    return _times_log(graph, self, other, plus_one=True)


def _times_log(graph: Graph, x: Value | Number, y: Value | Number, plus_one: bool) -> Value:
    """x log(y), 0 for x = 0 whatever the logarithm, NaN for y = NaN."""
    dtype = to_float(result_type([x, y]))
    a, b = (operand(graph, one, wide(dtype)) for one in (x, y))
    argument = graph.op("Add", b, graph.number(1.0, b.dtype)) if plus_one else b
    product = graph.op("Mul", a, graph.op("Log", argument))
    zero = graph.number(0.0, a.dtype)
    result = graph.where(graph.op("Equal", a, zero, dtype="bool"), zero, product)
    return graph.cast(graph.where(graph.op("IsNaN", b, dtype="bool"), b, result), dtype)


@pointwise("heaviside.default", in_place=True)
def heaviside(graph: Graph, self: Value, values: Value) -> Results:
    x, at_zero = graph.cast(self, carried(self.dtype)), graph.cast(values, carried(self.dtype))
    zero = graph.number(0, x.dtype)
    positive = graph.cast(graph.op("Less", zero, x, dtype="bool"), x.dtype)
    step = graph.where(graph.op("Equal", x, zero, dtype="bool"), at_zero, positive)
    return graph.cast(step, self.dtype)


@pointwise("clamp.default", in_place=True)
def clamp(graph: Graph, self: Value, min: Number | None = None, max: Number | None = None) -> Results:
    if min is None or max is None:
        # Not Clip: the bound that it is not given is the largest finite number, and cuts infinity off.
        return clamp_tensor(graph, self, min, max)
    dtype = result_type([self, min, max])
    worked = worked_in(dtype)
    bounds = [graph.number(bound, worked) for bound in (min, max)]
    return graph.cast(graph.op("Clip", graph.cast(self, worked), *bounds, shape=self.shape), dtype)


@pointwise("clamp_min.default", in_place=True)
def clamp_min(graph: Graph, self: Value, min: Number) -> Results:
    return clamp(graph, self, min)


@pointwise("clamp_max.default", in_place=True)
def clamp_max(graph: Graph, self: Value, max: Number) -> Results:
    return clamp(graph, self, None, max)


@pointwise("clamp.Tensor", in_place=True)
def clamp_tensor(graph: Graph, self: Value, min: Value | None = None, max: Value | None = None) -> Results:
    dtype = result_type([self, min, max])
    result = self if min is None else node(graph, "Max", self, min, dtype=dtype)
    return result if max is None else node(graph, "Min", result, max, dtype=dtype)


@pointwise("clamp_min.Tensor", in_place=True)
def clamp_min_tensor(graph: Graph, self: Value, min: Value) -> Results:
    return clamp_tensor(graph, self, min)


@pointwise("clamp_max.Tensor", in_place=True)
def clamp_max_tensor(graph: Graph, self: Value, max: Value) -> Results:
    return clamp_tensor(graph, self, None, max)
