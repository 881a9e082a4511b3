"""Activations. One node where ONNX's operator means the same for every operand, else eager's own formula."""

from __future__ import annotations

import math

import numpy as np

from adapters.onnx.graph import Graph, Value, carried, keeps
from adapters.onnx.ops import Results, function, pointwise, wide
from adapters.onnx.pointwise import formula, node
from adapters.onnx.promotion import Number, is_float
from adapters.worker.arrays import DTYPES
from adapters.worker.system import UnsupportedError


@pointwise("relu.default", in_place=True)
def relu(graph: Graph, self: Value) -> Results:
    # ONNX's Relu has no unsigned and no 64-bit integers.
    return node(graph, "Relu" if is_float(self.dtype) else "Max", *((self,) if is_float(self.dtype) else (self, 0)))


@pointwise("gelu.default", in_place=True)
def gelu(graph: Graph, self: Value, approximate: str = "none") -> Results:
    dtype, x = formula(graph, self)
    if approximate == "tanh" and x.dtype == "f64":  # ONNX defines it by a function whose constants are f32
        cube = graph.op("Mul", graph.op("Mul", x, x), x)
        inner = graph.op("Add", x, graph.op("Mul", cube, graph.number(0.044715, x.dtype)))
        bent = graph.op("Tanh", graph.op("Mul", inner, graph.number(math.sqrt(2 / math.pi), x.dtype)))
        half = graph.op("Mul", x, graph.number(0.5, x.dtype))
        return graph.cast(graph.op("Mul", half, graph.op("Add", bent, graph.number(1.0, x.dtype))), dtype)
    return graph.cast(graph.op("Gelu", x, approximate=approximate), dtype)


@pointwise("silu.default", in_place=True)
def silu(graph: Graph, self: Value) -> Results:
    """x / (1 + exp(-x)), as eager: a Sigmoid that is good absolutely is not so far to the left of 0."""
    dtype, x = formula(graph, self)
    return graph.cast(graph.op("Div", x, _one_and_exp(graph, x)), dtype)


def _one_and_exp(graph: Graph, x: Value) -> Value:
    return graph.op("Add", graph.op("Exp", graph.op("Neg", x)), graph.number(1.0, x.dtype))


@pointwise("mish.default", in_place=True)
def mish(graph: Graph, self: Value) -> Results:
    dtype, x = formula(graph, self)
    return graph.cast(graph.op("Mish", x), dtype)


@pointwise("elu.default", in_place=True)
def elu(graph: Graph, self: Value, alpha: Number = 1, scale: Number = 1, input_scale: Number = 1) -> Results:
    dtype, x = formula(graph, self)
    if input_scale < 0:
        raise UnsupportedError("ONNX's Elu is the operand itself above zero")
    if input_scale != 1:
        positive = graph.op("Greater", x, graph.number(0.0, x.dtype), dtype="bool")
        x = graph.where(positive, x, graph.op("Mul", x, graph.number(float(input_scale), x.dtype)))
    return graph.cast(_elu(graph, x, float(alpha), float(scale)), dtype)


def _elu(graph: Graph, x: Value, alpha: float, scale: float) -> Value:
    if keeps(x.dtype, alpha):
        made = graph.op("Elu", x, alpha=alpha)
        return made if scale == 1 else graph.op("Mul", made, graph.number(scale, x.dtype))
    # scale x above 0; below, Elu with 1 for alpha and alpha in a factor of its own.
    positive = graph.op("Greater", x, graph.number(0.0, x.dtype), dtype="bool")
    factor = graph.where(positive, graph.number(scale, x.dtype), graph.number(scale * alpha, x.dtype))
    return graph.op("Mul", graph.op("Elu", x, alpha=1.0), factor)


# PyTorch's alpha and scale.
SELU = (1.6732632423543772848170429916717, 1.0507009873554804934193349852946)


@pointwise("selu.default", in_place=True)
def selu(graph: Graph, self: Value) -> Results:
    dtype, x = formula(graph, self)
    made = _elu(graph, x, *SELU) if x.dtype == "f64" else graph.op("Selu", x)  # whose attributes are f32
    return graph.cast(made, dtype)


@pointwise("celu.default", in_place=True)
def celu(graph: Graph, self: Value, alpha: Number = 1.0) -> Results:
    if self.dtype == "f64":
        raise UnsupportedError("ONNX's Celu is of f32")
    dtype, x = formula(graph, self)
    return graph.cast(graph.op("Celu", x, alpha=float(alpha)), dtype)


@pointwise("leaky_relu.default", in_place=True)
def leaky_relu(graph: Graph, self: Value, negative_slope: Number = 0.01) -> Results:
    dtype, x = formula(graph, self)
    if not keeps(x.dtype, float(negative_slope)):
        scaled = graph.op("Mul", x, graph.number(float(negative_slope), x.dtype))
        positive = graph.op("Greater", x, graph.number(0.0, x.dtype), dtype="bool")
        return graph.where(positive, x, scaled)
    return graph.cast(graph.op("LeakyRelu", x, alpha=float(negative_slope)), dtype)


@pointwise("softplus.default")
def softplus(graph: Graph, self: Value, beta: Number = 1, threshold: Number = 20) -> Results:
    dtype, x = formula(graph, self)
    scale = graph.number(float(beta), x.dtype)
    scaled = x if beta == 1 else graph.op("Mul", x, scale)
    soft = graph.op("Softplus", scaled)
    soft = soft if beta == 1 else graph.op("Div", soft, scale)
    linear = graph.op("Greater", scaled, graph.number(float(threshold), x.dtype), dtype="bool")
    return graph.cast(graph.where(linear, x, soft), dtype)


@function("log_sigmoid.default")
def log_sigmoid(graph: Graph, self: Value) -> Results:
    """min(x, 0) - log1p(exp(-|x|)), as eager."""
    dtype, x = formula(graph, self)
    tail = graph.op("Softplus", graph.op("Neg", graph.op("Abs", x)))
    return graph.cast(graph.op("Sub", graph.op("Min", x, graph.number(0.0, x.dtype)), tail), dtype)


@pointwise("hardtanh.default", in_place=True)
def hardtanh(graph: Graph, self: Value, min_val: Number = -1, max_val: Number = 1) -> Results:
    dtype, x = self.dtype, graph.cast(self, wide(self.dtype))
    return graph.cast(_clipped(graph, x, min_val, max_val), dtype)


@pointwise("relu6.default", in_place=True)
def relu6(graph: Graph, self: Value) -> Results:
    return hardtanh(graph, self, 0, 6)


def _clipped(graph: Graph, x: Value, low: Number, high: Number) -> Value:
    return graph.op("Clip", x, graph.number(low, x.dtype), graph.number(high, x.dtype), shape=x.shape)


def _gate(graph: Graph, x: Value) -> Value:
    return _clipped(graph, graph.op("Add", x, graph.number(3.0, x.dtype)), 0.0, 6.0)


@pointwise("hardsigmoid.default", in_place=True)
def hardsigmoid(graph: Graph, self: Value) -> Results:
    """ONNX's HardSigmoid has its 1 / 6 as a rounded f32 attribute."""
    dtype, x = formula(graph, self)
    return graph.cast(graph.op("Div", _gate(graph, x), graph.number(6.0, x.dtype)), dtype)


@pointwise("hardswish.default", in_place=True)
def hardswish(graph: Graph, self: Value) -> Results:
    dtype, x = formula(graph, self)
    return graph.cast(graph.op("Div", graph.op("Mul", x, _gate(graph, x)), graph.number(6.0, x.dtype)), dtype)


@pointwise("hardshrink.default")
def hardshrink(graph: Graph, self: Value, lambd: Number = 0.5) -> Results:
    dtype, x = formula(graph, self)
    limit, zero = graph.number(float(lambd), x.dtype), graph.number(0.0, x.dtype)
    inside = graph.op("LessOrEqual", graph.op("Abs", x), limit, dtype="bool")
    return graph.cast(graph.where(inside, zero, x), dtype)


@pointwise("softshrink.default")
def softshrink(graph: Graph, self: Value, lambd: Number = 0.5) -> Results:
    """x - λ, x + λ or 0; NaN stays."""
    dtype, x = formula(graph, self)
    limit = graph.number(float(lambd), x.dtype)
    above = graph.op("Greater", x, limit, dtype="bool")
    below = graph.op("Less", x, graph.op("Neg", limit), dtype="bool")
    inside = graph.op("LessOrEqual", graph.op("Abs", x), limit, dtype="bool")
    inner = graph.where(inside, graph.number(0.0, x.dtype), x)
    low = graph.where(below, graph.op("Add", x, limit), inner)
    return graph.cast(graph.where(above, graph.op("Sub", x, limit), low), dtype)


@pointwise("threshold.default", in_place=True)
def threshold(graph: Graph, self: Value, threshold: Number, value: Number) -> Results:
    x = graph.cast(self, carried(wide(self.dtype)))
    floats = is_float(self.dtype)
    limit, below = (float(one) if floats else _in_range(one, self.dtype) for one in (threshold, value))
    low = graph.op("LessOrEqual", x, graph.number(limit, x.dtype), dtype="bool")
    return graph.cast(graph.where(low, graph.number(below, x.dtype), x), self.dtype)


def _in_range(number: Number, dtype: str) -> int:
    """As PyTorch makes an integer of the dtype of a number, which it checks: without what is behind the point."""
    whole, limits = int(number), np.iinfo(DTYPES[dtype])
    if not limits.min <= whole <= limits.max:
        raise UnsupportedError(f"{number} beside {dtype}")
    return whole


@function("glu.default")
def glu(graph: Graph, self: Value, dim: int = -1) -> Results:
    at = dim % self.rank
    half = self.shape[at] // 2
    left, right = graph.split(graph.cast(self, wide(self.dtype)), at, [half, half])
    return graph.cast(graph.op("Mul", left, graph.op("Sigmoid", right)), self.dtype)


@pointwise("logit.default", in_place=True)
def logit(graph: Graph, self: Value, eps: float | None = None) -> Results:
    dtype, x = formula(graph, self)
    if eps is not None:
        x = _clipped(graph, x, float(eps), 1 - float(eps))
    odds = graph.op("Div", x, graph.op("Sub", graph.number(1.0, x.dtype), x))
    return graph.cast(graph.op("Log", odds), dtype)


@pointwise("sinc.default", in_place=True)
def sinc(graph: Graph, self: Value) -> Results:
    dtype, x = formula(graph, self)
    turned = graph.op("Mul", x, graph.number(math.pi, x.dtype))
    at_zero = graph.op("Equal", x, graph.number(0.0, x.dtype), dtype="bool")
    ratio = graph.op("Div", graph.op("Sin", turned), turned)
    return graph.cast(graph.where(at_zero, graph.number(1.0, x.dtype), ratio), dtype)
