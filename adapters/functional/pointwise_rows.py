"""Element-wise operators in functions that have numpy's names, which every library of this package has."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from adapters.functional.calls import Call, Table, Tensor, into
from adapters.onnx.graph import ONNX_DTYPES

ROWS: Table = {}
row = into(ROWS)

UNARY = {
    "Abs": "abs", "Neg": "negative", "Sign": "sign", "Ceil": "ceil", "Floor": "floor", "Round": "round",
    "Exp": "exp", "Log": "log", "Sqrt": "sqrt", "Reciprocal": "reciprocal",
    "Sin": "sin", "Cos": "cos", "Tan": "tan", "Asin": "arcsin", "Acos": "arccos", "Atan": "arctan",
    "Sinh": "sinh", "Cosh": "cosh", "Tanh": "tanh", "Asinh": "arcsinh", "Acosh": "arccosh", "Atanh": "arctanh",
    "Not": "logical_not", "IsNaN": "isnan",
}  # fmt: skip

BINARY = {
    "Add": "add", "Sub": "subtract", "Mul": "multiply", "Pow": "power",
    "And": "logical_and", "Or": "logical_or",
    "BitwiseAnd": "bitwise_and", "BitwiseOr": "bitwise_or", "BitwiseXor": "bitwise_xor",
    "Equal": "equal", "Less": "less", "Greater": "greater",
    "LessOrEqual": "less_equal", "GreaterOrEqual": "greater_equal",
}  # fmt: skip

FOLDED = {"Max": "maximum", "Min": "minimum"}  # of any number of operands

_DTYPES = {number: name for name, number in ONNX_DTYPES.items()}


def _unary(name: str) -> Callable[[Call], Tensor]:
    return lambda call: getattr(call.np, name)(call.x)


def _binary(name: str) -> Callable[[Call], Tensor]:
    return lambda call: getattr(call.np, name)(call.operands[0], call.operands[1])


def _folded(name: str) -> Callable[[Call], Tensor]:
    return lambda call: reduce(getattr(call.np, name), call.operands)


ROWS |= {kind: _unary(name) for kind, name in UNARY.items()}
ROWS |= {kind: _binary(name) for kind, name in BINARY.items()}
ROWS |= {kind: _folded(name) for kind, name in FOLDED.items()}


@row("Identity")
def identity(call: Call) -> Tensor:
    return call.x


@row("Cast")
def cast(call: Call) -> Tensor:
    return call.lib.cast(call.x, _DTYPES[call.attributes["to"]])


@row("Xor")
def exclusive_or(call: Call) -> Tensor:
    return call.np.not_equal(call.operands[0], call.operands[1])


@row("Where")
def where(call: Call) -> Tensor:
    return call.np.where(*call.operands)


@row("Clip")
def clip(call: Call) -> Tensor:
    return call.np.clip(*call.operands)


@row("IsInf")
def is_infinite(call: Call) -> Tensor:
    infinity = call.number(float("inf"))
    above, below = call.np.equal(call.x, infinity), call.np.equal(call.x, -infinity)
    if not call.get("detect_negative", 1):
        return above
    return below if not call.get("detect_positive", 1) else call.np.logical_or(above, below)


@row("Relu")
def relu(call: Call) -> Tensor:
    return call.np.maximum(call.x, call.number(0))


@row("LeakyRelu")
def leaky_relu(call: Call) -> Tensor:
    scaled = call.np.multiply(call.x, call.number(call.get("alpha")))
    return call.np.where(call.np.greater(call.x, call.number(0)), call.x, scaled)
