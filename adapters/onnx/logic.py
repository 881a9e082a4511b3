"""Comparisons, logic, bits, choices between values, casts and fills: element-wise ops whose rule is one of dtypes."""

from __future__ import annotations

import math

import numpy as np

from adapters.onnx.graph import Graph, Value, carried
from adapters.onnx.ops import Results, function, operand, pointwise
from adapters.onnx.promotion import Number, is_float, result_type, to_float
from adapters.worker.system import UnsupportedError

# ---- comparisons: in the promoted dtype, their result bool

_COMPARISONS = {
    "lt": "Less", "gt": "Greater", "le": "LessOrEqual", "ge": "GreaterOrEqual", "eq": "Equal", "ne": "Equal",
}  # fmt: skip


def _comparison(name: str, kind: str) -> None:
    @pointwise(f"{name}.Tensor", f"{name}.Scalar", in_place=True)
    def write(graph: Graph, self: Value, other: Value | Number) -> Results:
        dtype = result_type([self, other])
        # A number is first rounded to a half operand's dtype, as eager's loop has it.
        operands = [operand(graph, one, dtype) for one in (self, other)]
        worked = "f32" if dtype == "bf16" else carried(dtype)
        made = graph.op(kind, *(graph.cast(one, worked) for one in operands), dtype="bool")
        return graph.op("Not", made) if name == "ne" else made


for _name, _kind in _COMPARISONS.items():
    _comparison(_name, _kind)


# ---- predicates of floats


@pointwise("isnan.default")
def isnan(graph: Graph, self: Value) -> Results:
    return _predicate(graph, "IsNaN", self)


@pointwise("isinf.default")
def isinf(graph: Graph, self: Value) -> Results:
    return _predicate(graph, "IsInf", self)


@pointwise("isposinf.default")
def isposinf(graph: Graph, self: Value) -> Results:
    return _predicate(graph, "IsInf", self, detect_negative=0)


@pointwise("isneginf.default")
def isneginf(graph: Graph, self: Value) -> Results:
    return _predicate(graph, "IsInf", self, detect_positive=0)


@pointwise("isfinite.default")
def isfinite(graph: Graph, self: Value) -> Results:
    found = [_predicate(graph, kind, self) for kind in ("IsNaN", "IsInf")]
    return graph.op("Not", graph.op("Or", *found, dtype="bool"))


def _predicate(graph: Graph, kind: str, x: Value, **attributes: int) -> Value:
    # Of an integer it is false; so it is of the float that is cast from it.
    x = graph.cast(x, "f32" if x.dtype in ("f16", "bf16") else to_float(x.dtype))
    return graph.op(kind, x, dtype="bool", **attributes)


# ---- logic and bits


@pointwise("logical_not.default", in_place=True)
def logical_not(graph: Graph, self: Value) -> Results:
    return graph.op("Not", graph.cast(self, "bool"))


def _logical(name: str, kind: str) -> None:
    @pointwise(f"logical_{name}.default", in_place=True)
    def write(graph: Graph, self: Value, other: Value) -> Results:
        return graph.op(kind, graph.cast(self, "bool"), graph.cast(other, "bool"))

    @pointwise(f"bitwise_{name}.Tensor", f"bitwise_{name}.Scalar", in_place=True)
    def write_bits(graph: Graph, self: Value | Number, other: Value | Number) -> Results:
        dtype = result_type([self, other])
        bits = kind if dtype == "bool" else f"Bitwise{kind}"
        return graph.op(bits, *(operand(graph, one, dtype) for one in (self, other)))

    pointwise(f"bitwise_{name}.Scalar_Tensor", f"__{name}__.Tensor", f"__{name}__.Scalar")(write_bits)


for _name, _kind in {"and": "And", "or": "Or", "xor": "Xor"}.items():
    _logical(_name, _kind)


@pointwise("bitwise_not.default", in_place=True)
def bitwise_not(graph: Graph, self: Value) -> Results:
    return graph.op("Not" if self.dtype == "bool" else "BitwiseNot", self)


# ---- choices


@pointwise("where.self", "where.ScalarSelf", "where.ScalarOther", "where.Scalar")
def where(graph: Graph, condition: Value, self: Value | Number, other: Value | Number) -> Results:
    dtype = result_type([self, other])
    return graph.where(graph.cast(condition, "bool"), *(operand(graph, one, dtype) for one in (self, other)))


@function("masked_fill.Scalar", "masked_fill.Tensor", in_place=True)
def masked_fill(graph: Graph, self: Value, mask: Value, value: Value | Number) -> Results:
    return graph.where(mask, operand(graph, value, self.dtype), self)


# ---- fills


@pointwise("fill.Scalar", "fill.Tensor", in_place=True)
def fill(graph: Graph, self: Value, value: Value | Number) -> Results:
    return graph.expand(operand(graph, value, self.dtype), self.shape)


@pointwise("zero.default", in_place=True)
def zero(graph: Graph, self: Value) -> Results:
    return filled(graph, self.shape, 0, self.dtype)


def filled(graph: Graph, sizes: tuple[int, ...] | list[int], number: Number, dtype: str) -> Value:
    """An Expand of the number, so that it is a node and no initializer."""
    return graph.expand(graph.number(number, dtype), tuple(sizes))


@pointwise("full_like.default")
def full_like(
    graph: Graph, self: Value, fill_value: Number, dtype: str | None = None, memory_format: str | None = None
) -> Results:
    _preserved(memory_format)
    return filled(graph, self.shape, fill_value, dtype or self.dtype)


@pointwise("zeros_like.default")
def zeros_like(graph: Graph, self: Value, dtype: str | None = None, memory_format: str | None = None) -> Results:
    return full_like(graph, self, 0, dtype, memory_format)


@pointwise("ones_like.default")
def ones_like(graph: Graph, self: Value, dtype: str | None = None, memory_format: str | None = None) -> Results:
    return full_like(graph, self, 1, dtype, memory_format)


def _preserved(memory_format: str | None) -> None:
    if memory_format not in (None, "preserve_format"):
        raise UnsupportedError(f"a fresh tensor in {memory_format}")


@function("full.default")
def full(graph: Graph, size: list[int], fill_value: Number, dtype: str | None = None) -> Results:
    return filled(graph, size, fill_value, dtype or result_type([fill_value]))


@function("zeros.default")
def zeros(graph: Graph, size: list[int], dtype: str | None = None) -> Results:
    return filled(graph, size, 0, dtype or "f32")


@function("ones.default")
def ones(graph: Graph, size: list[int], dtype: str | None = None) -> Results:
    return filled(graph, size, 1, dtype or "f32")


@function("new_full.default")
def new_full(graph: Graph, self: Value, size: list[int], fill_value: Number, dtype: str | None = None) -> Results:
    return filled(graph, size, fill_value, dtype or self.dtype)


@function("new_zeros.default")
def new_zeros(graph: Graph, self: Value, size: list[int], dtype: str | None = None) -> Results:
    return filled(graph, size, 0, dtype or self.dtype)


@function("new_ones.default")
def new_ones(graph: Graph, self: Value, size: list[int], dtype: str | None = None) -> Results:
    return filled(graph, size, 1, dtype or self.dtype)


@function("scalar_tensor.default")
def scalar_tensor(graph: Graph, s: Number, dtype: str | None = None) -> Results:
    return filled(graph, (), s, dtype or "f32")


@function("arange.start_step")
def arange(graph: Graph, start: Number, end: Number, step: Number = 1, dtype: str | None = None) -> Results:
    dtype = dtype or ("f32" if any(isinstance(one, float) for one in (start, end, step)) else "i64")
    if is_float(dtype):  # as a constant: how a Range of floats is rounded is open
        count = math.ceil((float(end) - float(start)) / float(step))
        return graph.constant(float(start) + np.arange(count) * float(step), dtype)
    numbers = np.arange(int(start), int(end), int(step))
    return graph.cast(graph.integers(list(numbers)), dtype)


@function("arange.default")
def arange_to(graph: Graph, end: Number, dtype: str | None = None) -> Results:
    return arange(graph, 0, end, 1, dtype)


@function("arange.start")
def arange_between(graph: Graph, start: Number, end: Number, dtype: str | None = None) -> Results:
    return arange(graph, start, end, 1, dtype)


@function("eye.default", "eye.m")
def eye(graph: Graph, n: int, m: int | None = None, dtype: str | None = None) -> Results:
    return graph.constant(np.eye(n, n if m is None else m), dtype or "f32")


@function("tril_indices.default")
def tril_indices(graph: Graph, row: int, col: int, offset: int = 0, dtype: str | None = None) -> Results:
    return graph.constant(np.stack(np.tril_indices(row, offset, col)), dtype or "i64")


@function("triu_indices.default")
def triu_indices(graph: Graph, row: int, col: int, offset: int = 0, dtype: str | None = None) -> Results:
    return graph.constant(np.stack(np.triu_indices(row, offset, col)), dtype or "i64")
