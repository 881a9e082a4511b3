"""Moving elements: joins, rearrangements, pads, gathers, scatters. Views and their copies: views.py."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adapters.onnx.graph import Graph, Value, broadcast, carried
from adapters.onnx.logic import filled
from adapters.onnx.ops import Results, function, operand, wide
from adapters.onnx.promotion import Number, is_float, result_type
from adapters.worker.system import UnsupportedError

# ---- joins


@function("cat.default")
def cat(graph: Graph, tensors: list[Value], dim: int = 0) -> Results:
    dtype = result_type(tensors)
    kept = [one for one in tensors if one.shape != (0,)]  # eager skips those, whatever the others' rank
    if not kept:
        return graph.identity(graph.cast(tensors[0], dtype))
    return graph.concat([graph.cast(one, dtype) for one in kept], dim % kept[0].rank)


@function("stack.default")
def stack(graph: Graph, tensors: list[Value], dim: int = 0) -> Results:
    dtype = result_type(tensors)
    at = dim % (tensors[0].rank + 1)
    return graph.concat([graph.unsqueeze(graph.cast(one, dtype), at) for one in tensors], at)


# ---- rearrangements


@function("flip.default")
def flip(graph: Graph, self: Value, dims: list[int]) -> Results:
    result = graph.identity(self) if not dims else self
    for dim in dims:
        at = dim % max(self.rank, 1)
        if self.rank:
            bounds = (graph.integers([n]) for n in (-1, -(self.shape[at] + 1), at, -1))
            result = graph.op("Slice", result, *bounds, shape=self.shape)
    return result


@function("roll.default")
def roll(graph: Graph, self: Value, shifts: Any, dims: Any = ()) -> Results:
    shifts = [shifts] if isinstance(shifts, int) else list(shifts)
    dims = [dims] if isinstance(dims, int) else list(dims)
    if not dims:
        flat = graph.flat(self)
        return graph.reshape(_rolled(graph, flat, shifts[0], 0), self.shape)
    result = self
    for shift, dim in zip(shifts, dims, strict=True):
        result = _rolled(graph, result, shift, dim % self.rank)
    return result


def _rolled(graph: Graph, x: Value, shift: int, at: int) -> Value:
    size = x.shape[at]
    cut = -shift % size if size else 0
    if cut == 0:
        return graph.identity(x)
    return graph.concat([graph.slice(x, at, cut, size), graph.slice(x, at, 0, cut)], at)


@function("repeat.default")
def repeat(graph: Graph, self: Value, repeats: list[int]) -> Results:
    x = graph.reshape(self, (*(1 for _ in range(len(repeats) - self.rank)), *self.shape))
    shape = [n * r for n, r in zip(x.shape, repeats, strict=True)]
    return graph.op("Tile", x, graph.integers(repeats), shape=shape)


@function("repeat_interleave.self_int")
def repeat_interleave(
    graph: Graph, self: Value, repeats: int, dim: int | None = None, output_size: int | None = None
) -> Results:
    x = graph.flat(self) if dim is None else self
    at = 0 if dim is None or not x.rank else dim % x.rank
    x = x if x.rank else graph.flat(x)
    places = np.repeat(np.arange(x.shape[at]), repeats)
    return graph.gather(x, graph.constant(places, "i64"), at)


def _triangle(name: str, upper: int) -> None:
    @function(f"{name}.default", in_place=True)
    def write(graph: Graph, self: Value, diagonal: int = 0) -> Results:
        if self.dtype in ("f32", "f64", "i64"):
            return graph.op("Trilu", self, graph.number(diagonal, "i64"), shape=self.shape, upper=upper)
        mask = (np.triu if upper else np.tril)(np.ones(self.shape[-2:], dtype=bool), diagonal)
        return graph.where(graph.constant(mask, "bool"), self, graph.number(0, self.dtype))


_triangle("tril", 0)
_triangle("triu", 1)


# ---- pads


@function("constant_pad_nd.default")
def constant_pad(graph: Graph, self: Value, pad: list[int], value: Number = 0) -> Results:
    fill = graph.number(value if is_float(self.dtype) else int(value), self.dtype)
    return _padded(graph, self, pad, "constant", fill)


def _padded(graph: Graph, x: Value, pad: list[int], mode: str, fill: Value | None) -> Value:
    """ATen lists pads from the last dim on, before and after together; ONNX all before, then all after."""
    before, after = [0] * x.rank, [0] * x.rank
    for i in range(len(pad) // 2):
        before[x.rank - 1 - i], after[x.rank - 1 - i] = pad[2 * i], pad[2 * i + 1]
    shape = [n + b + a for n, b, a in zip(x.shape, before, after, strict=True)]
    return graph.op("Pad", x, graph.integers(before + after), fill, shape=shape, mode=mode)


def _pads(name: str, mode: str) -> None:
    @function(*(f"{name}{dims}d.default" for dims in (1, 2, 3)))
    def write(graph: Graph, self: Value, padding: list[int]) -> Results:
        """Negative pads are slices of the result: what they cut off is mirrored or repeated like the rest, which ONNX
        leaves open."""
        made = _padded(graph, self, [max(pad, 0) for pad in padding], mode, None)
        for i in range(len(padding) // 2):
            before, after = (max(-pad, 0) for pad in padding[2 * i : 2 * i + 2])
            at = self.rank - 1 - i
            if before or after:
                made = graph.slice(made, at, before, made.shape[at] - after)
        return made


_pads("reflection_pad", "reflect")
_pads("replication_pad", "edge")


# ---- reading by index


def _at_least_1d(graph: Graph, x: Value) -> Value:
    return x if x.rank else graph.flat(x)


@function("index_select.default")
def index_select(graph: Graph, self: Value, dim: int, index: Value) -> Results:
    x = _at_least_1d(graph, self)
    made = graph.gather(x, _at_least_1d(graph, index), dim % x.rank)
    return made if self.rank else graph.reshape(made, ())


@function("gather.default")
def gather(graph: Graph, self: Value, dim: int, index: Value, sparse_grad: bool = False) -> Results:
    x, places = _at_least_1d(graph, self), _at_least_1d(graph, index)
    at = dim % x.rank
    fits = x.rank == places.rank and all(
        size <= whole or other == at for other, (size, whole) in enumerate(zip(places.shape, x.shape, strict=True))
    )
    if not fits:  # PyTorch takes any sizes of an index of no elements
        raise UnsupportedError("an index of no elements whose sizes ONNX's GatherElements does not have")
    made = graph.op("GatherElements", x, graph.cast(places, "i64"), shape=places.shape, axis=at)
    return graph.reshape(made, index.shape)


@function("take_along_dim.default")
def take_along_dim(graph: Graph, self: Value, indices: Value, dim: int | None = None) -> Results:
    if dim is None:
        return gather(graph, graph.flat(self), 0, graph.flat(indices))
    at = dim % self.rank
    others = broadcast(_with(self.shape, at, 1), _with(indices.shape, at, 1))
    x = graph.expand(self, _with(others, at, self.shape[at]))
    places = graph.expand(graph.cast(indices, "i64"), _with(others, at, indices.shape[at]))
    # Eager takes the remainder, so that every integer is an index.
    return gather(graph, x, at, graph.op("Mod", places, graph.number(max(self.shape[at], 1), "i64")))


def _with(shape: tuple[int, ...], at: int, size: int) -> tuple[int, ...]:
    return (*shape[:at], size, *shape[at + 1 :])


@function("take.default")
def take(graph: Graph, self: Value, index: Value) -> Results:
    return graph.gather(graph.flat(self), index, 0)


@function("embedding.default")
def embedding(
    graph: Graph,
    weight: Value,
    indices: Value,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Results:
    return graph.gather(weight, indices, 0)


def _indexed(graph: Graph, x: Value, indices: list[Value | None]) -> tuple[list[int], Value, tuple[int, ...], bool]:
    """For x[indices]: the dims that are indexed, the tuples of indices, their sizes, whether the dims are adjacent."""
    if any(index is not None and index.dtype in ("bool", "u8") for index in indices):
        raise UnsupportedError("a mask as an index: its result's size depends on data")
    dims = [dim for dim, index in enumerate(indices) if index is not None]
    given = [index for index in indices if index is not None]
    sizes = broadcast(*(index.shape for index in given))
    parts = [graph.unsqueeze(graph.expand(graph.cast(index, "i64"), sizes), len(sizes)) for index in given]
    tuples = graph.concat(parts, len(sizes)) if len(parts) > 1 else parts[0]
    adjacent = dims == list(range(dims[0], dims[-1] + 1))
    return dims, tuples, sizes, adjacent


@function("index.Tensor")
def index(graph: Graph, self: Value, indices: list[Value | None]) -> Results:
    dims, tuples, sizes, adjacent = _indexed(graph, self, indices)
    rest = [dim for dim in range(self.rank) if dim not in dims]
    turned = graph.transpose(self, dims + rest) if dims + rest != list(range(self.rank)) else self
    kept = [self.shape[dim] for dim in rest]
    made = graph.op("GatherND", turned, tuples, shape=(*sizes, *kept))
    if not adjacent or dims[0] == 0:
        return made
    # The indexed dims stood together behind others: so do the index's.
    lead, count = dims[0], len(sizes)
    order = [*range(count, count + lead), *range(count), *range(count + lead, made.rank)]
    return graph.transpose(made, order)


# ---- writing by index


@function("index_put.default", in_place=True)
def index_put(
    graph: Graph, self: Value, indices: list[Value | None], values: Value, accumulate: bool = False
) -> Results:
    dims, tuples, sizes, adjacent = _indexed(graph, self, indices)
    rest = [dim for dim in range(self.rank) if dim not in dims]
    lead = dims[0] if adjacent else 0  # the dims that stand before the index's in what is written
    kept = [self.shape[dim] for dim in rest]
    carrier = _added(self.dtype) if accumulate else self.dtype
    updates = graph.expand(graph.cast(values, carrier), (*kept[:lead], *sizes, *kept[lead:]))
    reduction = {"reduction": "add"} if accumulate else {}
    x = graph.cast(self, carrier)
    turned = dims + rest  # the indexed dims first, as ScatterND has them
    if turned == list(range(self.rank)):
        return graph.cast(graph.op("ScatterND", x, tuples, updates, shape=x.shape, **reduction), self.dtype)
    count = len(sizes)
    if lead > 0:
        order = [*range(lead, lead + count), *range(lead), *range(lead + count, updates.rank)]
        updates = graph.transpose(updates, order)
    x = graph.transpose(x, turned)
    made = graph.op("ScatterND", x, tuples, updates, shape=x.shape, **reduction)
    return graph.cast(graph.transpose(made, [turned.index(dim) for dim in range(self.rank)]), self.dtype)


def _added(dtype: str) -> str:
    """What scattered sums are carried in."""
    return wide(carried(dtype))


def _scattered(
    graph: Graph, x: Value, dim: int, index: Value, source: Value | Number, reduction: str = "none"
) -> Value:
    carrier = x.dtype if reduction == "none" else _added(x.dtype)
    base, places = _at_least_1d(graph, graph.cast(x, carrier)), _at_least_1d(graph, graph.cast(index, "i64"))
    if isinstance(source, Value):
        updates = _at_least_1d(graph, graph.cast(source, carrier))
        for at, size in enumerate(places.shape):  # the source may be larger than the index
            if updates.shape[at] != size:
                updates = graph.slice(updates, at, 0, size)
    else:
        updates = filled(graph, places.shape, source, carrier)
    attributes: dict[str, Any] = {"axis": dim % base.rank}
    if reduction != "none":
        attributes["reduction"] = reduction
    made = graph.op("ScatterElements", base, places, updates, shape=base.shape, **attributes)
    return graph.reshape(graph.cast(made, x.dtype), x.shape)


@function("scatter.src", in_place=True)
def scatter(graph: Graph, self: Value, dim: int, index: Value, src: Value) -> Results:
    return _scattered(graph, self, dim, index, src)


@function("scatter.value", in_place=True)
def scatter_value(graph: Graph, self: Value, dim: int, index: Value, value: Number) -> Results:
    return _scattered(graph, self, dim, index, value)


_REDUCTIONS = {"add": "add", "multiply": "mul", "sum": "add", "prod": "mul", "amax": "max", "amin": "min"}


@function("scatter.reduce", in_place=True)
def scatter_reduced(graph: Graph, self: Value, dim: int, index: Value, src: Value, reduce: str) -> Results:
    return _scattered(graph, self, dim, index, src, _REDUCTIONS[reduce])


@function("scatter.value_reduce", in_place=True)
def scatter_value_reduced(graph: Graph, self: Value, dim: int, index: Value, value: Number, reduce: str) -> Results:
    return _scattered(graph, self, dim, index, value, _REDUCTIONS[reduce])


@function("scatter_add.default", in_place=True)
def scatter_add(graph: Graph, self: Value, dim: int, index: Value, src: Value) -> Results:
    return _scattered(graph, self, dim, index, src, "add")


@function("scatter_reduce.two", in_place=True)
def scatter_reduce(
    graph: Graph, self: Value, dim: int, index: Value, src: Value, reduce: str, include_self: bool = True
) -> Results:
    if not include_self or reduce not in _REDUCTIONS:
        raise UnsupportedError("ONNX scatters include what was there, and know no mean")
    return _scattered(graph, self, dim, index, src, _REDUCTIONS[reduce])


def _along(graph: Graph, x: Value, dim: int, index: Value) -> Value:
    """The index of whole slices as one of elements."""
    shape = [1] * max(x.rank, 1)
    shape[dim % max(x.rank, 1)] = index.numel
    places = graph.reshape(graph.cast(index, "i64"), shape)
    wanted = list(x.shape) or [1]
    wanted[dim % max(x.rank, 1)] = index.numel
    return graph.expand(places, wanted)


@function("index_add.default", in_place=True)
def index_add(graph: Graph, self: Value, dim: int, index: Value, source: Value, alpha: Number = 1) -> Results:
    carrier = _added(self.dtype)
    updates = graph.cast(source, carrier)
    if alpha != 1:
        updates = graph.op("Mul", updates, graph.number(alpha, carrier))
    places = _along(graph, self, dim, index)
    return _scattered(graph, self, dim, places, graph.reshape(updates, places.shape), "add")


@function("index_copy.default", in_place=True)
def index_copy(graph: Graph, self: Value, dim: int, index: Value, source: Value) -> Results:
    places = _along(graph, self, dim, index)
    return _scattered(graph, self, dim, places, graph.reshape(source, places.shape))


@function("index_fill.int_Scalar", "index_fill.int_Tensor", in_place=True)
def index_fill(graph: Graph, self: Value, dim: int, index: Value, value: Value | Number) -> Results:
    places = _along(graph, self, dim, index)
    updates = graph.expand(operand(graph, value, self.dtype), places.shape)
    return _scattered(graph, self, dim, places, updates)


@function("put.default", in_place=True)
def put(graph: Graph, self: Value, index: Value, source: Value, accumulate: bool = False) -> Results:
    reduction = "add" if accumulate else "none"
    made = _scattered(graph, graph.flat(self), 0, graph.flat(index), graph.flat(source), reduction)
    return graph.reshape(made, self.shape)


@function("masked_scatter.default", in_place=True)
def masked_scatter(graph: Graph, self: Value, mask: Value, source: Value) -> Results:
    """The n-th element that the mask lets through is the source's n-th: a running count of the mask says which."""
    shape = broadcast(self.shape, mask.shape)
    if math.prod(shape) == 0 or source.numel == 0:
        return graph.expand(graph.identity(self), shape)
    chosen = graph.flat(graph.expand(mask, shape))
    count = graph.op("CumSum", graph.cast(chosen, "i64"), graph.number(0, "i64"), shape=chosen.shape)
    places = graph.op("Sub", count, graph.number(1, "i64"))
    places = graph.op("Max", graph.op("Min", places, graph.number(source.numel - 1, "i64")), graph.number(0, "i64"))
    taken = graph.reshape(graph.gather(graph.flat(source), places, 0), shape)
    return graph.where(graph.expand(mask, shape), taken, graph.expand(self, shape))
