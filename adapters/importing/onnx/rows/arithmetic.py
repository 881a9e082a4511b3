"""Pointwise operators: arithmetic, functions, comparisons, logic, bits, casts."""

from __future__ import annotations

from functools import reduce

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.types import element_dtype
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value

SAME = {  # one operand, no attributes
    **{kind: kind.lower() for kind in (
        "Exp", "Log", "Sqrt", "Sigmoid", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh", "Tanh", "Asinh",
        "Acosh", "Atanh", "Erf", "Reciprocal", "Ceil", "Floor", "Round", "Neg", "Abs", "Relu", "Mish", "HardSwish",
    )},
    "Sign": "sgn", "BitwiseNot": "bitwise_not", "Not": "logical_not",
}  # fmt: skip

BINARY = {
    "Add": "add.Tensor", "Sub": "sub.Tensor", "Mul": "mul.Tensor",
    "And": "logical_and.default", "Or": "logical_or.default", "Xor": "logical_xor.default",
    "Equal": "eq.Tensor", "Less": "lt.Tensor", "Greater": "gt.Tensor",
    "LessOrEqual": "le.Tensor", "GreaterOrEqual": "ge.Tensor",
    "BitwiseAnd": "bitwise_and.Tensor", "BitwiseOr": "bitwise_or.Tensor", "BitwiseXor": "bitwise_xor.Tensor",
}  # fmt: skip
COMPARISONS = ("And", "Or", "Xor", "Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual")


@row(*SAME)
def same(b: Builder, node: Node) -> Results:
    return b.unary(SAME[node.kind], node.x)


@row("IsNaN")
def is_nan(b: Builder, node: Node) -> Results:
    return b.call("isnan.default", node.x, dtype="bool")


@row("IsInf")
def is_inf(b: Builder, node: Node) -> Results:
    signs = node.flag("detect_positive", True), node.flag("detect_negative", True)
    if signs == (False, False):
        return b.full(node.x.shape, False, "bool")
    op = {(True, True): "isinf", (True, False): "isposinf", (False, True): "isneginf"}[signs]
    return b.call(f"{op}.default", node.x, dtype="bool")


def pair(b: Builder, node: Node) -> tuple[Value, Value]:
    """Both operands. Before operator set 7 they broadcast if an attribute says so, from an axis that another says."""
    left, right = node.x, node.operand(1)
    if node.version < 7 and node.kind not in ("BitShift", "Mod"):
        axis = node.attribute("axis")
        if node.flag("broadcast"):
            first = left.rank - right.rank if axis is None else int(axis) % max(left.rank, 1)
            right = b.reshape(right, [*right.shape, *[1] * (left.rank - first - right.rank)])
        elif left.shape != right.shape:
            raise NoCounterpartError("before operator set 7 operands broadcast only where an attribute says so")
    return left, right


@row(*BINARY)
def binary(b: Builder, node: Node) -> Results:
    left, right = pair(b, node)
    if left.dtype == "bool" and node.kind == "Sub":
        raise NoCounterpartError("a difference of bools")
    return b.call(BINARY[node.kind], left, right, dtype="bool" if node.kind in COMPARISONS else None)


@row("Div")
def div(b: Builder, node: Node) -> Results:
    return b.div(*pair(b, node))


@row("Mod")
def mod(b: Builder, node: Node) -> Results:
    fmod = node.flag("fmod")
    if node.x.is_float and not fmod and node.version < 28:
        raise NoCounterpartError("the remainder of floats without fmod")
    return b.call("fmod.Tensor" if fmod else "remainder.Tensor", node.x, node.operand(1))


@row("Pow")
def power(b: Builder, node: Node) -> Results:
    """The result has the dtype of the base, whatever the exponent's."""
    base, exponent = pair(b, node)
    if base.dtype == exponent.dtype or not exponent.is_float:
        return b.call("pow.Tensor_Tensor", base, b.cast(exponent, base.dtype))
    # What is computed in the dtype of the two that holds more, or in f32 if neither of two halves does.
    wide = max(base.dtype if base.is_float else exponent.dtype, exponent.dtype, key=WIDTHS.index)
    wide = "f32" if {base.dtype, exponent.dtype} == {"f16", "bf16"} else wide
    return b.cast(b.call("pow.Tensor_Tensor", b.cast(base, wide), b.cast(exponent, wide)), base.dtype)


WIDTHS = ("f16", "bf16", "f32", "f64")


@row("Max", "Min")
def extremum(b: Builder, node: Node) -> Results:
    op = {"Max": "maximum.default", "Min": "minimum.default"}[node.kind]
    operands = node.every()
    return b.clone(node.x) if len(operands) == 1 else reduce(lambda a, c: b.call(op, a, c), operands)


@row("Sum", "Mean")
def variadic(b: Builder, node: Node) -> Results:
    operands = node.every()
    total = b.clone(node.x) if len(operands) == 1 else reduce(b.add, operands)
    return total if node.kind == "Sum" or len(operands) == 1 else b.div(total, len(operands))


@row("Where")
def where(b: Builder, node: Node) -> Results:
    return b.where(node.x, node.operand(1), node.operand(2))


@row("BitShift")
def bit_shift(b: Builder, node: Node) -> Results:
    direction = node.word("direction", "")
    if direction not in ("LEFT", "RIGHT"):
        raise NoCounterpartError(f"direction is {direction!r}")
    return b.call(f"bitwise_{direction.lower()}_shift.Tensor", node.x, node.operand(1))


@row("Clip", until=10)
def clip_of_attributes(b: Builder, node: Node) -> Results:
    bounds = [node.number(name, 0) if node.has(name) else None for name in ("min", "max")]
    return b.clone(node.x) if bounds == [None, None] else b.call("clamp.default", node.x, *bounds)


@row("Clip", since=11)
def clip(b: Builder, node: Node) -> Results:
    bounds = [node.optional(1), node.optional(2)]
    if bounds == [None, None]:
        return b.clone(node.x)
    if all(bound is None or bound.array is not None for bound in bounds):
        numbers = [None if bound is None else b.array(bound).item() for bound in bounds]
        return b.call("clamp.default", node.x, *numbers)
    scalars = [None if bound is None else b.reshape(bound, []) for bound in bounds]
    return b.call("clamp.Tensor", node.x, *scalars, shape=node.x.shape)


@row("Cast", since=6)
def cast(b: Builder, node: Node) -> Results:
    node.only("saturate", 1, 0)  # of 8-bit floats, which are refused
    node.word("round_mode", "up")  # likewise
    dtype = element_dtype(node.integer("to", 0))
    return b.call("_to_copy.default", node.x, dtype=dtype, shape=node.x.shape, to=dtype)


@row("CastLike")
def cast_like(b: Builder, node: Node) -> Results:
    node.only("saturate", 1, 0)
    node.word("round_mode", "up")
    dtype = node.operand(1).dtype
    return b.call("_to_copy.default", node.x, dtype=dtype, shape=node.x.shape, to=dtype)


@row("Identity")
def identity(b: Builder, node: Node) -> Results:
    return b.clone(node.x)


@row("Dropout", since=7)
def dropout(b: Builder, node: Node) -> Results:
    """In evaluation, which is what an operator is that no operand tells to train."""
    node.attribute("ratio")
    node.attribute("seed")
    trains = node.optional(2)
    ratio = node.optional(1)
    if trains is not None and b.array(trains, "training_mode").item():
        share = 0.5 if ratio is None else b.array(ratio, "ratio").item()
        if share != 0:
            raise NoCounterpartError("it trains: what it drops is random")
    mask = b.full(node.x.shape, True, node.x.dtype if node.version < 10 else "bool") if node.wants(1) else None
    return [b.clone(node.x), mask]
