"""Attention, as two products and a softmax between them: the operator set that is written has no Attention."""

from __future__ import annotations

import math

import numpy as np

from adapters.onnx.graph import Graph, Value
from adapters.onnx.ops import Results, function, wide
from adapters.onnx.products import product
from adapters.worker.system import UnsupportedError


def _with_heads(graph: Graph, x: Value, heads: int) -> Value:
    """Each head of keys or values, once for each of its queries' heads."""
    own = x.shape[-3]
    if own == heads:
        return x
    places = np.repeat(np.arange(own), heads // own)
    return graph.gather(x, graph.constant(places, "i64"), x.rank - 3)


def _masked(graph: Graph, scores: Value, mask: Value | None, causal: bool) -> Value:
    nothing = graph.number(-math.inf, scores.dtype)
    if causal:
        kept = np.tril(np.ones(scores.shape[-2:], dtype=bool))
        scores = graph.where(graph.constant(kept, "bool"), scores, nothing)
    if mask is None:
        return scores
    if mask.dtype == "bool":
        return graph.where(mask, scores, nothing)
    return graph.op("Add", scores, graph.cast(mask, scores.dtype))


@function("scaled_dot_product_attention.default")
def scaled_dot_product_attention(
    graph: Graph,
    query: Value,
    key: Value,
    value: Value,
    attn_mask: Value | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Results:
    if dropout_p:
        raise UnsupportedError("dropout is random")
    if 0 in (*query.shape, *key.shape, *value.shape):
        raise UnsupportedError("an attention without elements")
    worked = wide(query.dtype)
    q, k, v = (graph.cast(one, worked) for one in (query, key, value))
    if enable_gqa:
        k, v = (_with_heads(graph, one, q.shape[-3]) for one in (k, v))
    order = [*range(k.rank - 2), k.rank - 1, k.rank - 2]
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = graph.op("Mul", product(graph, q, graph.transpose(k, order)), graph.number(float(factor), worked))
    scores = _masked(graph, scores, attn_mask, is_causal)
    # A row whose keys are all masked has weights of 0, where a softmax is NaN.
    most = graph.reduce("ReduceMax", scores, [scores.rank - 1], True)
    empty = graph.op("Equal", most, graph.number(-math.inf, worked), dtype="bool")
    weights = graph.op("Softmax", scores, axis=-1)
    weights = graph.where(empty, graph.number(0, worked), weights)
    return graph.cast(product(graph, weights, v), query.dtype)
