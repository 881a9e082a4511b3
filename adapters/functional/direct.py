"""ATen overloads whose function an array library has and ONNX has not: they are written as operators of that name.

A library takes those that its table has a row for. Of the others that ONNX composes (log1p as a logarithm of a sum),
the writer's formula stays.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from adapters.onnx.arithmetic import floor_divide
from adapters.onnx.graph import Graph, Value, carried, reduced_sizes
from adapters.onnx.ops import Function, Results, never, operand, wide, wrap_dims
from adapters.onnx.pointwise import formula, node
from adapters.onnx.promotion import Number, is_float, result_type, to_float
from adapters.onnx.reductions import Dims, running, summed
from adapters.onnx.writer import OPS as WRITTEN
from adapters.onnx.writer import MoreFunctions
from adapters.worker.system import UnsupportedError

# By overload without "aten.": the operator. Of one operand, to a float.
UNARY = {
    "expm1": "Expm1", "log1p": "Log1p", "log2": "Log2", "log10": "Log10", "exp2": "Exp2", "rsqrt": "Rsqrt",
    "erfc": "Erfc", "erfinv": "Erfinv", "lgamma": "Lgamma", "digamma": "Digamma", "i0": "I0",
    "special_i0e": "I0e", "special_i1": "I1", "special_i1e": "I1e",
}  # fmt: skip
# Of two, which broadcast and are promoted.
BINARY = {
    "atan2.default": "Atan2", "hypot.default": "Hypot", "nextafter.default": "Nextafter",
    "logaddexp.default": "LogAddExp", "logaddexp2.default": "LogAddExp2", "copysign.Tensor": "Copysign",
    "gcd.default": "Gcd", "lcm.default": "Lcm",
}  # fmt: skip
# Of one operand, in the dtype that eager computes a formula in.
FORMULAS = {"silu.default": "Silu", "special_ndtr.default": "Ndtr", "trunc.default": "Trunc"}
PREDICATES = {"signbit.default": "Signbit"}
# Over dims, which ONNX has as a count of what is not 0.
TRUTHS = {"any": "Any", "all": "All"}
# Along a dim, of which ONNX has the sum alone: a result, and the extremes so far with their places.
SCANS = {"cumprod": "CumProd", "logcumsumexp": "LogCumSumExp"}
EXTREMES = {"cummax": "CumMax", "cummin": "CumMin"}
_NO_TWIN = {
    "all",
    "any",
    "cummax",
    "cummin",
    "floor_divide",
    "logaddexp.default",
    "logaddexp2.default",
    "logcumsumexp",
    "median",
    "remainder.Scalar_Tensor",
    "signbit",
    "special_i0e",
    "special_i1",
    "special_i1e",
    "special_ndtr",
    "special_xlog1py",
    "sum",
}
_INTEGERS = {"Gcd", "Lcm"}
_LARGEST = {"bool": 1, "u8": 255, "i8": 128, "i16": 2**15}  # the size of an element


def _unary(kind: str) -> Function:
    def write(graph: Graph, self: Value) -> Results:
        return node(graph, kind, self, dtype=to_float(self.dtype))

    return Function(write, True, never)


def _binary(kind: str) -> Function:
    def write(graph: Graph, self: Value, other: Value | Number) -> Results:
        dtype = result_type([self, other])
        if kind in _INTEGERS:
            if is_float(dtype) or dtype == "bool":
                raise UnsupportedError(f"{kind} of {dtype}")
            return node(graph, kind, self, other)
        return node(graph, kind, self, other, dtype=to_float(dtype))

    return Function(write, True, never)


def _formula(kind: str) -> Function:
    def write(graph: Graph, self: Value) -> Results:
        if kind == "Trunc" and not is_float(self.dtype):
            return graph.identity(self)
        dtype, x = formula(graph, self)
        return graph.cast(graph.op(kind, x), dtype)

    return Function(write, True, never)


def _predicate(kind: str) -> Function:
    def write(graph: Graph, self: Value) -> Results:
        if not is_float(self.dtype):
            return graph.op("Less", graph.cast(self, "i64"), graph.number(0, "i64"), dtype="bool")
        return graph.op(kind, graph.cast(self, wide(self.dtype)), dtype="bool")

    return Function(write, True, never)


def _truth(kind: str) -> Function:
    def write(graph: Graph, self: Value, dim: Dims = None, keepdim: bool = False) -> Results:
        dims = wrap_dims(dim, self.rank)
        shape = reduced_sizes(self.shape, dims, keepdim)
        found = graph.op(kind, self, graph.integers(dims), dtype="bool", shape=shape, keepdims=int(keepdim))
        return graph.cast(found, "u8") if self.dtype == "u8" else found

    return Function(write, False, never)


def _scan(kind: str) -> Function:
    def write(graph: Graph, self: Value, dim: int, dtype: str | None = None) -> Results:
        return running(graph, self, dim, dtype, lambda x, axis: graph.op(kind, x, axis=axis))

    return Function(write, False, never)


def _extremes(kind: str) -> Function:
    """The place is that of the last of equal ones, and of the last NaN, from the first one on."""

    def write(graph: Graph, self: Value, dim: int) -> Results:
        if self.rank == 0:
            return [graph.identity(self), graph.number(0, "i64")]
        axis = dim % self.rank
        x = graph.cast(self, carried(self.dtype))
        values = graph.op(kind, x, axis=axis)
        found = graph.op("Equal", x, values, dtype="bool")
        if is_float(x.dtype):
            found = graph.op("Or", found, graph.op("IsNaN", x, dtype="bool"), dtype="bool")
        sizes = [size if d == axis else 1 for d, size in enumerate(self.shape)]
        places = graph.constant(np.arange(self.shape[axis], dtype=np.int64).reshape(sizes), "i64")
        last = graph.op("CumMax", graph.where(found, places, graph.number(0, "i64")), axis=axis)
        return [graph.cast(values, self.dtype), last]

    return Function(write, False, never)


def _remainder(graph: Graph, self: Value | Number, other: Value | Number) -> Results:
    """With the sign of the divisor, in the operands' own dtype; ONNX has that of integers alone."""
    dtype = result_type([self, other])
    if not is_float(dtype):
        return node(graph, "Mod", self, other, fmod=0)
    return graph.op("Remainder", *(operand(graph, one, dtype) for one in (self, other)))


def _floor_divide(graph: Graph, self: Value | Number, other: Value | Number) -> Results:
    """Of floats, in their own dtype; of integers the writer's."""
    dtype = result_type([self, other])
    if not is_float(dtype):
        return floor_divide(graph, self, other)
    return graph.op("FloorDivide", *(operand(graph, one, dtype) for one in (self, other)))


def _median(graph: Graph, self: Value) -> Results:
    """Of an odd number of elements: of an even one eager gives the lower of two, and libraries their mean."""
    if not is_float(self.dtype) or np.prod(self.shape) % 2 == 0:
        raise UnsupportedError("a median of integers or of an even number of elements")
    return graph.op("Median", self, shape=())


def _sum(graph: Graph, self: Value, dim: Dims, keepdim: bool = False, dtype: str | None = None) -> Results:
    """Integers of 16 bits and less as they are, where 32 bits hold their sum: the library widens them."""
    dims = wrap_dims(dim, self.rank)
    if not dims or dtype not in (None, "i64") or self.numel * _LARGEST.get(self.dtype, 2**31) >= 2**31:
        return summed(graph, self, dim, keepdim, dtype)
    shape = reduced_sizes(self.shape, dims, keepdim)
    return graph.op("SumOfShort", self, graph.integers(dims), dtype="i64", shape=shape, keepdims=int(keepdim))


def _sum_all(graph: Graph, self: Value, dtype: str | None = None) -> Results:
    return _sum(graph, self, None, False, dtype)


def _nan_to_num(
    graph: Graph, self: Value, nan: float | None = None, posinf: float | None = None, neginf: float | None = None
) -> Results:
    if not is_float(self.dtype):
        return graph.identity(self)
    return graph.op("NanToNum", self, nan=nan, posinf=posinf, neginf=neginf)


def _times_log1p(graph: Graph, self: Value | Number, other: Value | Number) -> Results:
    """As the writer's own, which adds 1 and takes the logarithm."""
    dtype = to_float(result_type([self, other]))
    a, b = (operand(graph, one, wide(dtype)) for one in (self, other))
    product, zero = graph.op("Mul", a, graph.op("Log1p", b)), graph.number(0.0, a.dtype)
    result = graph.where(graph.op("Equal", a, zero, dtype="bool"), zero, product)
    return graph.cast(graph.where(graph.op("IsNaN", b, dtype="bool"), b, result), dtype)


def direct(kinds: Collection[str]) -> MoreFunctions:
    """Those whose operator is among these."""
    made: dict[str, Function] = {}
    for overloads, write, suffix in (
        (UNARY, _unary, ".default"), (BINARY, _binary, ""), (FORMULAS, _formula, ""), (PREDICATES, _predicate, ""),
    ):  # fmt: skip
        made |= {f"aten.{name}{suffix}": write(kind) for name, kind in overloads.items() if kind in kinds}
    if "Log1p" in kinds:
        overloads = ("default", "other_scalar", "self_scalar")
        made |= {f"aten.special_xlog1py.{name}": Function(_times_log1p, True, never) for name in overloads}
    for name, kind in TRUTHS.items():
        if kind in kinds:
            made |= {f"aten.{name}.{overload}": _truth(kind) for overload in ("default", "dim", "dims")}
    made |= {f"aten.{name}.default": _scan(kind) for name, kind in SCANS.items() if kind in kinds}
    made |= {f"aten.{name}.default": _extremes(kind) for name, kind in EXTREMES.items() if kind in kinds}
    if "Remainder" in kinds:
        made |= {f"aten.remainder.{name}": Function(_remainder, True, never) for name in ("Tensor", "Scalar")}
        made["aten.remainder.Scalar_Tensor"] = Function(_remainder, True, never)
    if "FloorDivide" in kinds:
        made |= {f"aten.floor_divide.{name}": Function(_floor_divide, True, never) for name in ("default", "Scalar")}
    if "NanToNum" in kinds:
        made["aten.nan_to_num.default"] = Function(_nan_to_num, True, never)
    if "Median" in kinds:
        made["aten.median.default"] = Function(_median, False, never)
    if "SumOfShort" in kinds:
        made["aten.sum.default"] = Function(_sum_all, False, never)
        made["aten.sum.dim_IntList"] = Function(_sum, False, never)
    twins = {}
    for name in made:
        _, base, overload = name.split(".")
        if f"{base}.{overload}" not in _NO_TWIN and base not in _NO_TWIN:
            twins[f"aten.{base}_.{overload}"] = name
    return MoreFunctions(made, twins)


# Their only operator is GridSample, for which no table has a row.
_LEFT_OUT = {"aten.grid_sampler_2d.default", "aten.grid_sampler_3d.default"}


def taken(more: MoreFunctions, without: Collection[str] = ()) -> list[str]:
    """The ATen overloads that a library takes: what the writer writes, these, and not those."""
    ops = {*WRITTEN, *more.functions, *more.in_place} - _LEFT_OUT - set(without)
    return sorted(ops)
