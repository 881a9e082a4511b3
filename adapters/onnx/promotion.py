"""Which dtype PyTorch computes in: its promotion of tensors, 0-d tensors and Python numbers (ResultType.cpp)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Any

_INTEGERS = {"u8": (0, 8), "i8": (1, 7), "i16": (1, 15), "i32": (1, 31), "i64": (1, 63)}  # signed, bits of value
_SIGNED = ("i8", "i16", "i32", "i64")
_FLOATS = {"f16": 1, "bf16": 1, "f32": 2, "f64": 3}

Number = bool | int | float


def is_float(dtype: str) -> bool:
    return dtype in _FLOATS


def is_integer(dtype: str) -> bool:
    """bool is none."""
    return dtype in _INTEGERS


def promote(a: str, b: str) -> str:
    """torch.promote_types."""
    if a == b:
        return a
    if is_float(a) or is_float(b):
        if not (is_float(a) and is_float(b)):
            return a if is_float(a) else b
        if _FLOATS[a] == _FLOATS[b]:  # f16 and bf16
            return "f32"
        return max(a, b, key=_FLOATS.__getitem__)
    if "bool" in (a, b):
        return b if a == "bool" else a
    bits = max(_INTEGERS[a][1], _INTEGERS[b][1])  # of different signs: the signed one that holds both
    return next(dtype for dtype in _SIGNED if _INTEGERS[dtype][1] >= bits)


def number_dtype(number: Number) -> str:
    return "bool" if isinstance(number, bool) else "i64" if isinstance(number, int) else "f32"


def _combine(higher: str | None, lower: str | None) -> str | None:
    if higher is None or lower is None:
        return higher or lower
    if is_float(higher):
        return higher
    return promote(higher, lower) if higher == "bool" or is_float(lower) else higher


def result_type(operands: Iterable[Any]) -> str:
    """torch.result_type of values (whatever has `dtype` and `shape`) and numbers; None is passed over."""
    kinds: dict[int, list[str]] = {0: [], 1: [], 2: []}  # numbers, 0-d tensors, tensors
    for operand in operands:
        if operand is None:
            continue
        if isinstance(operand, bool | int | float):
            kinds[0].append(number_dtype(operand))
        else:
            kinds[2 if operand.shape else 1].append(operand.dtype)
    found = [reduce(promote, dtypes) if dtypes else None for dtypes in kinds.values()]
    result = _combine(found[2], _combine(found[1], found[0]))
    assert result is not None
    return result


def to_float(dtype: str) -> str:
    """The dtype of a function that makes floats of integers."""
    return dtype if is_float(dtype) else "f32"
