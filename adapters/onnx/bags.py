"""Embedding bags: the rows of all indices, and for each bag those that are its own, summed, averaged or the largest.

The results after the first, which say how the rows were divided, are for the gradient and not written.
"""

from __future__ import annotations

import math

import numpy as np

from adapters.onnx.graph import Graph, Value
from adapters.onnx.ops import Results, function, wide
from adapters.worker.system import UnsupportedError

SUM, MEAN, MAX = range(3)


def _own(graph: Graph, offsets: Value, count: int, include_last: bool) -> Value:
    """Whether each index, in a column, is of each bag, in a row."""
    offsets = graph.cast(offsets, "i64")
    bags = offsets.shape[0] - int(include_last)
    first = graph.slice(offsets, 0, 0, bags)
    rest = graph.slice(offsets, 0, 1, offsets.shape[0])
    end = rest if include_last else graph.concat([rest, graph.integers([count])], 0)
    places = graph.constant(np.arange(count), "i64")
    after = graph.op("GreaterOrEqual", places, graph.unsqueeze(first, 1), dtype="bool", shape=(bags, count))
    before = graph.op("Less", places, graph.unsqueeze(end, 1), dtype="bool", shape=(bags, count))
    return graph.op("And", after, before)


def _bags(
    graph: Graph,
    weight: Value,
    indices: Value,
    offsets: Value,
    mode: int,
    per_sample_weights: Value | None,
    include_last_offset: bool,
    padding_idx: int | None,
) -> Results:
    if indices.rank != 1 or not indices.numel:
        raise UnsupportedError("bags of no indices")
    worked = wide(weight.dtype)
    rows = graph.gather(graph.cast(weight, worked), indices, 0)
    if per_sample_weights is not None:
        rows = graph.op("Mul", rows, graph.unsqueeze(graph.cast(per_sample_weights, worked), 1), shape=rows.shape)
    own = _own(graph, offsets, indices.numel, include_last_offset)
    if padding_idx is not None:
        skipped = graph.number(padding_idx % weight.shape[0], "i64")
        kept = graph.op(
            "Not", graph.op("Equal", graph.cast(indices, "i64"), skipped, dtype="bool", shape=indices.shape)
        )
        own = graph.op("And", own, kept, shape=own.shape)
    shape = (own.shape[0], *rows.shape)
    chosen = graph.op(
        "Where",
        graph.unsqueeze(own, 2),
        graph.unsqueeze(rows, 0),
        graph.number(-math.inf if mode == MAX else 0, worked),
        dtype=worked,
        shape=shape,
    )
    size = graph.reduce("ReduceSum", graph.cast(own, worked), [1], True)
    if mode == MAX:
        empty = graph.op("Equal", size, graph.number(0, worked), dtype="bool", shape=size.shape)
        most = graph.reduce("ReduceMax", chosen, [1], False)
        made = graph.op("Where", empty, graph.number(0, worked), most, dtype=worked, shape=most.shape)
    else:
        made = graph.reduce("ReduceSum", chosen, [1], False)
        if mode == MEAN:
            made = graph.op("Div", made, graph.op("Max", size, graph.number(1, worked), shape=size.shape))
    return [graph.cast(made, weight.dtype), None, None, None]


@function("embedding_bag.padding_idx")
def embedding_bag_padded(
    graph: Graph,
    weight: Value,
    indices: Value,
    offsets: Value,
    scale_grad_by_freq: bool,
    mode: int,
    sparse: bool,
    per_sample_weights: Value | None,
    include_last_offset: bool,
    padding_idx: int | None,
) -> Results:
    return _bags(graph, weight, indices, offsets, mode, per_sample_weights, include_last_offset, padding_idx)


@function("embedding_bag.default", "_embedding_bag.default")
def embedding_bag(
    graph: Graph,
    weight: Value,
    indices: Value,
    offsets: Value,
    scale_grad_by_freq: bool = False,
    mode: int = SUM,
    sparse: bool = False,
    per_sample_weights: Value | None = None,
    include_last_offset: bool = False,
    padding_idx: int = -1,
) -> Results:
    skipped = padding_idx if padding_idx >= 0 else None
    return _bags(graph, weight, indices, offsets, mode, per_sample_weights, include_last_offset, skipped)
