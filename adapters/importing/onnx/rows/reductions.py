"""Reduce… in all its forms."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

import numpy as np

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.rows.movement import axes_of
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value
from adapters.worker.arrays import DTYPES

Reduce = Callable[[Builder, Value, list[int]], Value]  # keeping the dims


def _mean(b: Builder, x: Value, axes: list[int]) -> Value:
    if x.is_float:
        return b.mean(x, axes)
    return b.div(b.sum(x, axes), prod(x.shape[d] for d in axes))


def _prod(b: Builder, x: Value, axes: list[int]) -> Value:
    for axis in axes:
        x = b.call("prod.dim_int", x, axis, True, shape=b.reduced(x, [axis], True), to=x.dtype)
    return x


def _extremum(kind: str) -> Reduce:
    def reduce(b: Builder, x: Value, axes: list[int]) -> Value:
        if all(x.shape[d] for d in axes):
            return b.reduce(f"{kind}.default", x, axes)
        # Of no elements: what is neutral, which eager does not give.
        low, high = (-np.inf, np.inf) if x.is_float else (0, 1) if x.dtype == "bool" else _bounds(x.dtype)
        return b.known(np.full(b.reduced(x, axes, True), low if kind == "amax" else high), x.dtype)

    return reduce


def _bounds(dtype: str) -> tuple[int, int]:
    info = np.iinfo(DTYPES[dtype])
    return int(info.min), int(info.max)


def _l2(b: Builder, x: Value, axes: list[int]) -> Value:
    squares = _squares(b, x, axes)
    return b.unary("sqrt", squares) if x.is_float else b.cast(b.unary("sqrt", b.cast(squares, "f64")), x.dtype)


def _squares(b: Builder, x: Value, axes: list[int]) -> Value:
    return b.sum(b.mul(x, x), axes)


def _float(b: Builder, x: Value) -> Value:
    return x if x.is_float else b.cast(x, "f64")


def _log_sum(b: Builder, x: Value, axes: list[int]) -> Value:
    return b.cast(b.unary("log", b.sum(_float(b, x), axes)), x.dtype)


def _log_sum_exp(b: Builder, x: Value, axes: list[int]) -> Value:
    return b.cast(b.reduce("logsumexp.default", _float(b, x), axes), x.dtype)


REDUCTIONS: dict[str, Reduce] = {
    "ReduceSum": lambda b, x, axes: b.sum(x, axes),
    "ReduceMean": _mean,
    "ReduceProd": _prod,
    "ReduceMax": _extremum("amax"),
    "ReduceMin": _extremum("amin"),
    "ReduceL1": lambda b, x, axes: b.sum(b.unary("abs", x), axes),
    "ReduceL2": _l2,
    "ReduceSumSquare": _squares,
    "ReduceLogSum": _log_sum,
    "ReduceLogSumExp": _log_sum_exp,
}
# What is left of each over no axes at all: the steps that do not reduce.
STEPS: dict[str, Callable[[Builder, Value], Value]] = {
    "ReduceL1": lambda b, x: b.unary("abs", x),
    "ReduceL2": lambda b, x: b.unary("abs", x),
    "ReduceSumSquare": lambda b, x: b.mul(x, x),
    "ReduceLogSum": lambda b, x: b.cast(b.unary("log", _float(b, x)), x.dtype),
    "ReduceLogSumExp": lambda b, x: b.clone(x),
}


@row(*REDUCTIONS)
def reduction(b: Builder, node: Node) -> Results:
    axes, x = axes_of(b, node, 1, 13 if node.kind == "ReduceSum" else 18), node.x
    keep, noop = node.flag("keepdims", True), node.flag("noop_with_empty_axes")
    if not axes and noop:
        return STEPS.get(node.kind, lambda b, x: b.clone(x))(b, x)
    listed = sorted({axis % max(x.rank, 1) for axis in axes}) if axes else list(range(x.rank))
    if not x.rank:
        return STEPS.get(node.kind, lambda b, x: b.clone(x))(b, x)
    if node.kind == "ReduceMean" and not all(x.shape[d] for d in listed):
        raise NoCounterpartError("the mean of no elements is open")
    made = REDUCTIONS[node.kind](b, x, listed)
    return made if keep else b.reshape(made, b.reduced(x, listed, False))
