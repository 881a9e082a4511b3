"""Folds constants: the ATen calls that rows write, on arrays.

Only what every implementation computes alike is folded: integers and bools, moves of elements, and float operations
that IEEE 754 rounds correctly. A sum of three floats has an order, an exponential an error: those stay in the case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adapters.importing.onnx.values import Builder
from adapters.worker.arrays import DTYPES, FLOATS, NAMES, Array
from adapters.worker.case_text import value_name
from adapters.worker.system import Json


class NotFoldedError(Exception):
    """A call that stays in the case."""


Function = Callable[..., Any]
FUNCTIONS: dict[str, Function] = {}

_UFUNCS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum, "minimum": np.minimum,
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
    "logical_and": np.logical_and, "logical_or": np.logical_or, "logical_xor": np.logical_xor,
    "logical_not": np.logical_not, "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor, "bitwise_not": np.bitwise_not, "neg": np.negative, "abs": np.abs,
    "sqrt": np.sqrt, "floor": np.floor, "ceil": np.ceil, "round": np.round, "sgn": np.sign,
    "bitwise_left_shift": np.left_shift, "bitwise_right_shift": np.right_shift, "fmod": np.fmod,
}  # fmt: skip


def _like(number: Any, array: Array) -> Array:
    """A number in the dtype of the array that it meets."""
    return number if isinstance(number, np.ndarray) else np.asarray(number).astype(array.dtype)


def _integers_only(*arrays: Array) -> None:
    if any(NAMES.get(array.dtype) in FLOATS for array in arrays):
        raise NotFoldedError


def _elementwise(ufunc: np.ufunc) -> Function:
    def call(first: Array, *others: Any) -> Array:
        return ufunc(first, *(_like(other, first) for other in others))

    return call


for _name, _ufunc in _UFUNCS.items():
    for _overload in ("default", "Tensor", "Scalar"):
        FUNCTIONS[f"{_name}.{_overload}"] = _elementwise(_ufunc)


def _register(*names: str) -> Callable[[Function], Function]:
    def register(function: Function) -> Function:
        FUNCTIONS.update((name, function) for name in names)
        return function

    return register


@_register("div.Tensor", "div.Scalar")
def _div(a: Array, b: Any) -> Array:
    return np.divide(a, _like(b, a))


@_register("div.Tensor_mode", "div.Scalar_mode")
def _div_mode(a: Array, b: Any, rounding_mode: str) -> Array:
    _integers_only(a)
    b = _like(b, a)
    if not np.all(b):
        raise NotFoldedError
    quotient = a // b
    return quotient if rounding_mode == "floor" else quotient + ((a % b != 0) & ((a < 0) != (b < 0)))


@_register("remainder.Tensor", "remainder.Scalar")
def _remainder(a: Array, b: Any) -> Array:
    _integers_only(a)
    if not np.all(b):
        raise NotFoldedError
    return np.remainder(a, _like(b, a))


@_register("rsub.Scalar")
def _rsub(a: Array, b: Any) -> Array:
    return np.subtract(_like(b, a), a)


@_register("pow.Tensor_Tensor")
def _pow(a: Array, b: Array) -> Array:
    _integers_only(a, b)
    if (b < 0).any():
        raise NotFoldedError
    return np.power(a, b)


@_register("where.self", "where.ScalarSelf", "where.ScalarOther")
def _where(condition: Array, a: Any, b: Any) -> Array:
    typed = a if isinstance(a, np.ndarray) else b
    return np.where(condition, _like(a, typed), _like(b, typed))


@_register("clamp.default")
def _clamp(a: Array, low: Any = None, high: Any = None) -> Array:
    a = a if low is None else np.maximum(a, _like(low, a))
    return a if high is None else np.minimum(a, _like(high, a))


@_register("relu.default")
def _relu(a: Array) -> Array:
    return np.maximum(a, _like(0, a))


@_register("_to_copy.default")
def _to_copy(a: Array, dtype: str) -> Array:
    if dtype not in FLOATS and dtype != "bool" and NAMES.get(a.dtype) in FLOATS:
        wide = a.astype(np.float64)
        info = np.iinfo(DTYPES[dtype])
        if not np.isfinite(wide).all() or (np.abs(wide) >= 2.0**63).any():
            raise NotFoldedError
        whole = np.trunc(wide)
        if ((whole < info.min) | (whole > info.max)).any():  # what such a cast gives is open
            raise NotFoldedError
    return a.astype(DTYPES[dtype])


@_register("clone.default")
def _clone(a: Array) -> Array:
    return a.copy()


@_register("reshape.default")
def _reshape(a: Array, sizes: list[int]) -> Array:
    return a.reshape(sizes)


@_register("permute_copy.default")
def _permute(a: Array, order: list[int]) -> Array:
    return a.transpose(order)


@_register("t_copy.default")
def _t(a: Array) -> Array:
    return a.T


@_register("expand_copy.default")
def _expand(a: Array, sizes: list[int]) -> Array:
    return np.broadcast_to(a, sizes)


@_register("repeat.default")
def _repeat(a: Array, times: list[int]) -> Array:
    return np.tile(a, times)


@_register("slice_copy.Tensor")
def _slice(a: Array, dim: int, start: int, stop: int, step: int) -> Array:
    return a[(slice(None),) * dim + (slice(start, stop, step),)]


@_register("select_copy.int")
def _select(a: Array, dim: int, index: int) -> Array:
    return np.take(a, index, axis=dim)


@_register("flip.default")
def _flip(a: Array, dims: list[int]) -> Array:
    return np.flip(a, dims)


@_register("cat.default")
def _cat(parts: list[Array], dim: int) -> Array:
    return np.concatenate(parts, dim)


@_register("stack.default")
def _stack(parts: list[Array], dim: int) -> Array:
    return np.stack(parts, dim)


@_register("split_with_sizes_copy.default")
def _split(a: Array, sizes: list[int], dim: int) -> list[Array]:
    return np.split(a, np.cumsum(sizes)[:-1], dim)


@_register("getitem")
def _getitem(several: list[Array], i: int) -> Array:
    return several[i]


@_register("index.Tensor")
def _index(a: Array, indices: list[Array | None]) -> Array:
    return a[tuple(slice(None) if one is None else one for one in indices)]


@_register("index_select.default")
def _index_select(a: Array, dim: int, index: Array) -> Array:
    return np.take(a, index, axis=dim)


@_register("gather.default")
def _gather(a: Array, dim: int, index: Array) -> Array:
    if any(i > s for d, (i, s) in enumerate(zip(index.shape, a.shape, strict=True)) if d != dim):
        raise NotFoldedError
    part = a[tuple(slice(None) if d == dim else slice(size) for d, size in enumerate(index.shape))]
    return np.take_along_axis(part, index, dim)


@_register("constant_pad_nd.default")
def _pad(a: Array, pads: list[int], number: Any) -> Array:
    if min(pads) < 0:
        raise NotFoldedError
    both = [(0, 0)] * (a.ndim - len(pads) // 2) + list(zip(pads[0::2], pads[1::2], strict=True))[::-1]
    return np.pad(a, both, constant_values=_like(number, a))


@_register("full.default")
def _full(sizes: list[int], number: Any, dtype: str) -> Array:
    return np.full(sizes, number).astype(DTYPES[dtype])


@_register("tril.default")
def _tril(a: Array, k: int) -> Array:
    return np.tril(a, k)


@_register("triu.default")
def _triu(a: Array, k: int) -> Array:
    return np.triu(a, k)


@_register("sum.dim_IntList")
def _sum(a: Array, dims: list[int], keep: bool, dtype: str) -> Array:
    _integers_only(a)
    return np.sum(a, tuple(dims), dtype=DTYPES[dtype], keepdims=keep)


@_register("prod.dim_int")
def _prod(a: Array, dim: int, keep: bool, dtype: str) -> Array:
    _integers_only(a)
    return np.prod(a, dim, dtype=DTYPES[dtype], keepdims=keep)


@_register("amax.default")
def _amax(a: Array, dims: list[int], keep: bool) -> Array:
    return np.max(a, tuple(dims), keepdims=keep)


@_register("amin.default")
def _amin(a: Array, dims: list[int], keep: bool) -> Array:
    return np.min(a, tuple(dims), keepdims=keep)


@_register("cumsum.default")
def _cumsum(a: Array, dim: int, dtype: str) -> Array:
    _integers_only(a)
    return np.cumsum(a, dim, dtype=DTYPES[dtype])


def fold(b: Builder, begin: int, names: list[str]) -> dict[str, Array] | None:
    """What the nodes from `begin` on make of constants, by name, and the nodes gone; None if they stay."""
    found: dict[str, Any] = {}

    def argument(given: Any) -> Any:
        if isinstance(given, list):
            return [argument(one) for one in given]
        if given in ("nan", "inf", "-inf"):
            return float(given)
        name = value_name(given)
        if name is None:
            return given
        if name in found:
            return found[name]
        known = b.elements(name)
        if known is None:
            raise NotFoldedError
        return known

    def run(node: Json) -> Any:
        op = node["op"].removeprefix("aten.")
        if op not in FUNCTIONS:
            raise NotFoldedError
        args = [argument(one) for one in node["args"]]
        return FUNCTIONS[op](*args, **{name: argument(one) for name, one in node.get("kwargs", {}).items()})

    try:
        with np.errstate(all="ignore"):
            for node in b.nodes[begin:]:
                found[node["out"]] = run(node)
    except (NotFoldedError, ValueError, IndexError, TypeError, OverflowError):
        return None
    del b.nodes[begin:]
    return {name: np.asarray(found[name]) for name in names}
