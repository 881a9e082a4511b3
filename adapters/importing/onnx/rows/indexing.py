"""Operators that read or write at indices, search and sort."""

from __future__ import annotations

from math import prod

import numpy as np

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value, bounded


@row("Gather")
def gather(b: Builder, node: Node) -> Results:
    axis = node.axis(0)
    return b.index(node.x, [*[None] * axis, b.cast(node.operand(1), "i64")])


@row("GatherElements")
def gather_elements(b: Builder, node: Node) -> Results:
    axis = node.axis(0)
    index = b.wrap(node.operand(1), node.x.shape[axis])
    return b.call("gather.default", node.x, axis, index, shape=index.shape)


REDUCE = {"add": "sum", "mul": "prod", "max": "amax", "min": "amin"}


def reduction_of(node: Node) -> str:
    reduction = node.word("reduction", "none")
    if reduction != "none" and reduction not in REDUCE:
        raise NoCounterpartError(f"reduction is {reduction!r}")
    return reduction


@row("ScatterElements", "Scatter")
def scatter_elements(b: Builder, node: Node) -> Results:
    axis, reduction = node.axis(0), reduction_of(node)
    index, updates = b.wrap(node.operand(1), node.x.shape[axis]), node.operand(2)
    if reduction == "none":
        return b.call("scatter.src", node.x, axis, index, updates, shape=node.x.shape)
    return b.call("scatter_reduce.two", node.x, axis, index, updates, REDUCE[reduction], shape=node.x.shape)


def columns(b: Builder, indices: Value) -> list[Value]:
    """The last dim of indices, each a tensor."""
    if indices.array is not None:
        return [b.integers(indices.array[..., i]) for i in range(indices.shape[-1])]
    indices = b.cast(indices, "i64")
    return [b.select(indices, indices.rank - 1, i) for i in range(indices.shape[-1])]


@row("GatherND")
def gather_nd(b: Builder, node: Node) -> Results:
    batch = node.integer("batch_dims", 0)
    indices = node.operand(1)
    rest = indices.rank - 1
    leads = [
        b.integers(np.arange(node.x.shape[d]).reshape([-1 if i == d else 1 for i in range(rest)])) for d in range(batch)
    ]
    return b.index(node.x, [*leads, *columns(b, indices)])


@row("ScatterND")
def scatter_nd(b: Builder, node: Node) -> Results:
    x, indices, updates = node.x, node.operand(1), node.operand(2)
    reduction = reduction_of(node)
    given = columns(b, indices)
    if reduction in ("none", "add"):
        return b.call("index_put.default", x, given, updates, reduction == "add", shape=x.shape)
    # The dims that are indexed as one, so that it is a reduction along a dim.
    depth = len(given)
    lead, rest, count = prod(x.shape[:depth]), prod(x.shape[depth:]), prod(indices.shape[:-1])
    place: Value | None = None
    for d, column in enumerate(given):
        part = b.wrap(column, x.shape[d])
        step = prod(x.shape[d + 1 : depth])
        part = part if step == 1 else b.mul(part, step)
        place = part if place is None else b.add(place, part)
    assert place is not None
    index = b.expand(b.reshape(place, [count, 1]), [count, rest])
    flat = b.reshape(x, [lead, rest])
    made = b.call("scatter_reduce.two", flat, 0, index, b.reshape(updates, [count, rest]), REDUCE[reduction],
                  shape=flat.shape)  # fmt: skip
    return b.reshape(made, x.shape)


@row("OneHot")
def one_hot(b: Builder, node: Node) -> Results:
    """On where the indices are, off elsewhere: an index beyond the depth is nowhere."""
    indices, depth = node.x, bounded(int(b.array(node.operand(1), "a depth").reshape(()).item()))
    axis = node.axis(-1, indices.rank + 1)
    shape = [*indices.shape[:axis], 1, *indices.shape[axis:]]
    index = b.reshape(b.wrap(indices, depth), shape)
    places = b.reshape(b.integers(np.arange(depth)), [depth, *[1] * (indices.rank - axis)])
    values = node.operand(2)
    return b.where(b.compare("eq", index, places), b.select(values, 0, 1), b.select(values, 0, 0))


@row("Compress")
def compress(b: Builder, node: Node) -> Results:
    places = np.flatnonzero(b.array(node.operand(1), "a condition")).tolist()
    if not node.has("axis"):
        node.attribute("axis")
        return b.index_select(b.reshape(node.x, [node.x.numel]), 0, places)
    return b.index_select(node.x, node.axis(0), places)


@row("NonZero")
def non_zero(b: Builder, node: Node) -> Results:
    """Where its operand is known: else its sizes depend on elements."""
    return b.integers(np.stack(np.nonzero(b.array(node.x, "what may be zero"))))


@row("TopK")
def top_k(b: Builder, node: Node) -> Results:
    axis = node.axis(-1)
    k = node.integer("k", 0) if node.version < 10 else int(b.array(node.operand(1), "k").reshape(()).item())
    shape = [*node.x.shape[:axis], k, *node.x.shape[axis + 1 :]]
    largest, ordered = node.flag("largest", True), node.flag("sorted", True)
    if not ordered:
        results = [(node.x.dtype, shape), ("i64", shape)]
        return b.several("topk.default", node.x, k, axis, largest, False, results=results)
    # Of equal elements the first comes first, which eager's topk leaves open and its stable sort does not.
    full = [(node.x.dtype, node.x.shape), ("i64", node.x.shape)]
    made = b.several("sort.stable", node.x, stable=True, dim=axis, descending=largest, results=full)
    return [b.slice(one, axis, 0, k) for one in made]


@row("TensorScatter")
def tensor_scatter(b: Builder, node: Node) -> Results:
    """Updates at the places from each sample's index on."""
    cache, updates, axis = node.x, node.operand(1), node.axis(-2)
    node.only("mode", "linear", "circular")
    mode = node.word("mode", "linear")
    count = updates.shape[axis]
    start = node.optional(2)
    places = b.reshape(b.integers(np.arange(count)), [1, count])
    if start is not None:
        places = b.add(b.reshape(b.cast(start, "i64"), [start.shape[0], 1]), places)
    if mode == "circular":
        places = b.call("remainder.Scalar", places, cache.shape[axis])
    places = b.reshape(places, [places.shape[0], *[1] * (axis - 1), count, *[1] * (cache.rank - axis - 1)])
    index = b.expand(places, updates.shape)
    return b.call("scatter.src", cache, axis, index, updates, shape=cache.shape)


@row("ArgMax", "ArgMin")
def arg_extremum(b: Builder, node: Node) -> Results:
    axis, keep, last = node.axis(0), node.flag("keepdims", True), node.flag("select_last_index")
    x = b.call("flip.default", node.x, [axis]) if last else node.x
    found = b.call(f"{node.kind.lower()}.default", x, axis, keep, dtype="i64", shape=b.reduced(x, [axis], keep))
    return b.call("rsub.Scalar", found, node.x.shape[axis] - 1) if last else found


@row("CumSum", "CumProd")
def cumulative(b: Builder, node: Node) -> Results:
    axis = int(b.array(node.operand(1), "an axis").reshape(()).item()) % max(node.x.rank, 1)
    x = b.call("flip.default", node.x, [axis]) if node.flag("reverse") else node.x
    exclusive = node.flag("exclusive")
    if exclusive:
        rest = [0] * (x.rank - axis - 1)
        x = b.pad(x, [1, *rest], [-1, *rest], 0 if node.kind == "CumSum" else 1)
    made = b.call(f"{node.kind.lower()}.default", x, axis, to=x.dtype)
    return b.call("flip.default", made, [axis]) if node.flag("reverse") else made
