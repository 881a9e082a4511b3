"""Reductions, scans, sorts, softmaxes. Integers are counted in i64 as eager counts them, halves in f32."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from adapters.onnx.graph import Graph, Value, carried
from adapters.onnx.ops import Results, common, function, wide, wrap_dims
from adapters.onnx.promotion import Number, is_float, to_float
from adapters.worker.system import UnsupportedError

Dims = int | list[int] | None


def _reduced(graph: Graph, kind: str, x: Value, dim: Dims, keepdim: bool, dtype: str) -> Value:
    return graph.cast(graph.reduce(kind, x, wrap_dims(dim, x.rank), keepdim), dtype)


@function("sum.dim_IntList")
def summed(graph: Graph, self: Value, dim: Dims, keepdim: bool = False, dtype: str | None = None) -> Results:
    dtype = dtype or (self.dtype if is_float(self.dtype) else "i64")
    # The operand is cast to the asked dtype first, whose sums eager carries in f32 where it is a half.
    return _reduced(graph, "ReduceSum", graph.cast(graph.cast(self, dtype), wide(dtype)), dim, keepdim, dtype)


@function("sum.default")
def sum_all(graph: Graph, self: Value, dtype: str | None = None) -> Results:
    return summed(graph, self, None, False, dtype)


@function("mean.dim")
def mean(graph: Graph, self: Value, dim: Dims, keepdim: bool = False, dtype: str | None = None) -> Results:
    dtype = dtype or self.dtype
    return _reduced(graph, "ReduceMean", graph.cast(graph.cast(self, dtype), wide(dtype)), dim, keepdim, dtype)


@function("mean.default")
def mean_all(graph: Graph, self: Value, dtype: str | None = None) -> Results:
    return mean(graph, self, None, False, dtype)


@function("prod.dim_int")
def prod(graph: Graph, self: Value, dim: int, keepdim: bool = False, dtype: str | None = None) -> Results:
    return _product(graph, self, dim, keepdim, dtype)


@function("prod.default")
def prod_all(graph: Graph, self: Value, dtype: str | None = None) -> Results:
    return _product(graph, self, None, False, dtype)


def _product(graph: Graph, x: Value, dim: Dims, keepdim: bool, dtype: str | None) -> Value:
    dtype = dtype or (x.dtype if is_float(x.dtype) else "i64")
    return _reduced(graph, "ReduceProd", graph.cast(graph.cast(x, dtype), wide(dtype)), dim, keepdim, dtype)


@function("amax.default")
def amax(graph: Graph, self: Value, dim: Dims = None, keepdim: bool = False) -> Results:
    return _extreme(graph, "ReduceMax", self, dim, keepdim)


@function("amin.default")
def amin(graph: Graph, self: Value, dim: Dims = None, keepdim: bool = False) -> Results:
    return _extreme(graph, "ReduceMin", self, dim, keepdim)


def _extreme(graph: Graph, kind: str, x: Value, dim: Dims, keepdim: bool) -> Value:
    worked = "f32" if x.dtype == "bf16" else carried(x.dtype)
    return _reduced(graph, kind, graph.cast(x, worked), dim, keepdim, x.dtype)


@function("aminmax.default")
def aminmax(graph: Graph, self: Value, dim: int | None = None, keepdim: bool = False) -> Results:
    return [_extreme(graph, kind, self, dim, keepdim) for kind in ("ReduceMin", "ReduceMax")]


@function("max.default")
def max_all(graph: Graph, self: Value) -> Results:
    return _extreme(graph, "ReduceMax", self, None, False)


@function("min.default")
def min_all(graph: Graph, self: Value) -> Results:
    return _extreme(graph, "ReduceMin", self, None, False)


@function("argmax.default")
def argmax(graph: Graph, self: Value, dim: int | None = None, keepdim: bool = False) -> Results:
    return _place(graph, "ArgMax", self, dim, keepdim)


@function("argmin.default")
def argmin(graph: Graph, self: Value, dim: int | None = None, keepdim: bool = False) -> Results:
    return _place(graph, "ArgMin", self, dim, keepdim)


def _place(graph: Graph, kind: str, x: Value, dim: int | None, keepdim: bool) -> Value:
    """The first of equal ones, as eager."""
    flat = graph.cast(x, wide(carried(x.dtype)))
    if dim is None or x.rank == 0:
        sizes = [1] * x.rank if keepdim else []
        found = graph.op(kind, graph.flat(flat), dtype="i64", shape=(1,), axis=0, keepdims=1)
        return graph.reshape(found, sizes)
    at = dim % x.rank
    shape = [1 if d == at else n for d, n in enumerate(x.shape) if keepdim or d != at]
    return graph.op(kind, flat, dtype="i64", shape=shape, axis=at, keepdims=int(keepdim))


@function("max.dim")
def max_dim(graph: Graph, self: Value, dim: int, keepdim: bool = False) -> Results:
    return [_extreme(graph, "ReduceMax", self, dim, keepdim), _place(graph, "ArgMax", self, dim, keepdim)]


@function("min.dim")
def min_dim(graph: Graph, self: Value, dim: int, keepdim: bool = False) -> Results:
    return [_extreme(graph, "ReduceMin", self, dim, keepdim), _place(graph, "ArgMin", self, dim, keepdim)]


def _count(graph: Graph, x: Value, dim: Dims, keepdim: bool, inverted: bool = False) -> Value:
    """How many are not zero (or are)."""
    mask = graph.cast(x, "bool")
    mask = graph.op("Not", mask) if inverted else mask
    return graph.reduce("ReduceSum", graph.cast(mask, "i64"), wrap_dims(dim, x.rank), keepdim)


@function("any.dim", "any.dims")
def any_dim(graph: Graph, self: Value, dim: Dims = None, keepdim: bool = False) -> Results:
    found = graph.cast(_count(graph, self, dim, keepdim), "bool")
    return graph.cast(found, "u8") if self.dtype == "u8" else found


@function("any.default")
def any_all(graph: Graph, self: Value) -> Results:
    return any_dim(graph, self)


@function("all.dim", "all.dims")
def all_dim(graph: Graph, self: Value, dim: Dims = None, keepdim: bool = False) -> Results:
    found = graph.op("Not", graph.cast(_count(graph, self, dim, keepdim, inverted=True), "bool"))
    return graph.cast(found, "u8") if self.dtype == "u8" else found


@function("all.default")
def all_all(graph: Graph, self: Value) -> Results:
    return all_dim(graph, self)


@function("count_nonzero.default", "count_nonzero.dim_IntList")
def count_nonzero(graph: Graph, self: Value, dim: Dims = None) -> Results:
    return _count(graph, self, dim, False)


# ---- moments and norms


def _moments(graph: Graph, x: Value, dim: Dims, correction: Number, keepdim: bool) -> tuple[Value, Value]:
    """The variance and the mean, in two passes."""
    dims = wrap_dims(dim, x.rank)
    x = graph.cast(x, wide(x.dtype))
    average = graph.reduce("ReduceMean", x, dims, True)
    distance = graph.op("Sub", x, average)
    squares = graph.reduce("ReduceSum", graph.op("Mul", distance, distance), dims, keepdim)
    count = math.prod(x.shape[d] for d in dims)
    divisor = graph.number(float(max(count - correction, 0)), x.dtype)
    kept = average if keepdim else graph.squeeze(average, dims)
    return graph.op("Div", squares, divisor), kept


def _variance(graph: Graph, x: Value, dim: Dims, correction: Number | None, keepdim: bool, root: bool) -> list[Value]:
    spread, average = _moments(graph, x, dim, 1 if correction is None else correction, keepdim)
    spread = graph.op("Sqrt", spread) if root else spread
    return [graph.cast(spread, x.dtype), graph.cast(average, x.dtype)]


def _variance_ops(name: str, root: bool, with_mean: bool) -> None:
    def results(found: list[Value]) -> Results:
        return found if with_mean else found[0]

    @function(f"{name}.correction")
    def write(
        graph: Graph, self: Value, dim: Dims = None, correction: Number | None = None, keepdim: bool = False
    ) -> Results:
        return results(_variance(graph, self, dim, correction, keepdim, root))

    @function(f"{name}.dim")
    def write_dim(graph: Graph, self: Value, dim: Dims, unbiased: bool = True, keepdim: bool = False) -> Results:
        return results(_variance(graph, self, dim, int(unbiased), keepdim, root))

    @function(f"{name}.default")
    def write_all(graph: Graph, self: Value, unbiased: bool = True) -> Results:
        return results(_variance(graph, self, None, int(unbiased), False, root))


for _name, _root, _mean in (
    ("var", False, False), ("std", True, False), ("var_mean", False, True), ("std_mean", True, True),
):  # fmt: skip
    _variance_ops(_name, _root, _mean)


@function("linalg_vector_norm.default")
def vector_norm(
    graph: Graph, self: Value, ord: Number = 2, dim: Dims = None, keepdim: bool = False, dtype: str | None = None
) -> Results:  # fmt: skip
    dtype = dtype or self.dtype
    x = graph.cast(self, wide(dtype))
    kinds = {2: "ReduceL2", 1: "ReduceL1", math.inf: "ReduceMax", -math.inf: "ReduceMin"}
    if ord not in kinds:
        raise UnsupportedError(f"ONNX reduces to no norm of order {ord}")
    x = graph.op("Abs", x) if math.isinf(ord) else x
    return _reduced(graph, kinds[ord], x, dim, keepdim, dtype)


@function("norm.Scalar")
def norm(graph: Graph, self: Value, p: Number = 2) -> Results:
    return vector_norm(graph, self, p)


@function("norm.ScalarOpt_dim")
def norm_dim(graph: Graph, self: Value, p: Number | None, dim: Dims, keepdim: bool = False) -> Results:
    return vector_norm(graph, self, 2 if p is None else p, dim, keepdim)


@function("dist.default")
def dist(graph: Graph, self: Value, other: Value, p: Number = 2) -> Results:
    dtype, operands = common(graph, self, other)
    return graph.cast(vector_norm(graph, graph.op("Sub", *operands), p), dtype)


# ---- softmax


def _softmax(name: str, kind: str) -> None:
    @function(f"{name}.int", f"special_{name}.default")
    def write(graph: Graph, self: Value, dim: int, dtype: str | None = None) -> Results:
        return _soft(graph, kind, self, dim, dtype or self.dtype)

    @function(f"_{name}.default")
    def write_raw(graph: Graph, self: Value, dim: int, half_to_float: bool) -> Results:
        return _soft(graph, kind, self, dim, "f32" if half_to_float else self.dtype)


def _soft(graph: Graph, kind: str, x: Value, dim: int, dtype: str) -> Value:
    dtype = to_float(dtype)
    x = graph.cast(graph.cast(x, dtype), wide(dtype))
    if x.rank == 0:
        made = graph.reshape(graph.op(kind, graph.flat(x), axis=0), ())
    else:
        made = graph.op(kind, x, axis=dim % x.rank)
    return graph.cast(made, dtype)


_softmax("softmax", "Softmax")
_softmax("log_softmax", "LogSoftmax")


@function("logsumexp.default")
def logsumexp(graph: Graph, self: Value, dim: Dims, keepdim: bool = False) -> Results:
    dtype = to_float(self.dtype)
    return _reduced(graph, "ReduceLogSumExp", graph.cast(self, wide(dtype)), dim, keepdim, dtype)


# ---- scans and sorts


def running(graph: Graph, self: Value, dim: int, dtype: str | None, scan: Callable[[Value, int], Value]) -> Value:
    """A scan along an axis, in the dtype that eager counts in."""
    dtype = dtype or (self.dtype if is_float(self.dtype) else "i64")
    x = graph.cast(graph.cast(self, dtype), wide(dtype))
    return graph.cast(scan(x, dim % x.rank) if x.rank else graph.identity(x), dtype)


@function("cumsum.default", in_place=True)
def cumsum(graph: Graph, self: Value, dim: int, dtype: str | None = None) -> Results:
    def scan(x: Value, axis: int) -> Value:
        return graph.op("CumSum", x, graph.constant(np.int64(axis), "i64"), shape=x.shape)

    return running(graph, self, dim, dtype, scan)


@function("topk.default")
def topk(
    graph: Graph, self: Value, k: int, dim: int = -1, largest: bool = True, sorted: bool = True
) -> Results:  # fmt: skip
    """Of equal ones ONNX takes the first; where eager's choice is open the oracle says so."""
    if self.rank == 0:
        raise UnsupportedError("topk of a scalar")
    x = graph.cast(self, wide(carried(self.dtype)))
    at = dim % x.rank
    shape = (*x.shape[:at], k, *x.shape[at + 1 :])
    made = [(x.dtype, shape), ("i64", shape)]
    values, indices = graph.results("TopK", [x, graph.integers([k])], made, axis=at, largest=int(largest), sorted=1)
    return [graph.cast(values, self.dtype), indices]


@function("sort.default")
def sort(graph: Graph, self: Value, dim: int = -1, descending: bool = False) -> Results:
    if self.rank == 0:
        return [graph.identity(self), graph.number(0, "i64")]
    return topk(graph, self, self.shape[dim % self.rank], dim, descending)


@function("sort.stable")
def sort_stable(
    graph: Graph, self: Value, stable: bool | None = None, dim: int = -1, descending: bool = False
) -> Results:
    return sort(graph, self, dim, descending)


@function("argsort.default")
def argsort(graph: Graph, self: Value, dim: int = -1, descending: bool = False) -> Results:
    return sort(graph, self, dim, descending)[1]


@function("argsort.stable")
def argsort_stable(graph: Graph, self: Value, stable: bool, dim: int = -1, descending: bool = False) -> Results:
    return argsort(graph, self, dim, descending)


@function("msort.default")
def msort(graph: Graph, self: Value) -> Results:
    return sort(graph, self, 0)[0]
