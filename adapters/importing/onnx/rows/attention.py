"""Attention and rotary embeddings, written out."""

from __future__ import annotations

from math import sqrt

import numpy as np

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.types import element_dtype
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value


def _heads(b: Builder, x: Value, heads: int) -> Value:
    """[batch, heads, sequence, size]"""
    if x.rank == 4:
        return x
    n, length, wide = x.shape
    return b.permute(b.reshape(x, [n, length, heads, wide // heads]), [0, 2, 1, 3])


def _repeated(b: Builder, x: Value, heads: int) -> Value:
    """Keys or values of grouped heads, each as often as queries use it."""
    n, had, length, size = x.shape
    if had == heads:
        return x
    if heads % had:
        raise NoCounterpartError(f"{heads} heads of queries and {had} of keys")
    wide = b.expand(b.reshape(x, [n, had, 1, length, size]), [n, had, heads // had, length, size])
    return b.reshape(wide, [n, heads, length, size])


@row("Attention", since=23)
def attention(b: Builder, node: Node) -> Results:
    query, key, value = (node.operand(i) for i in range(3))
    flat, dtype = query.rank == 3, query.dtype
    q_heads, kv_heads = node.integer("q_num_heads", 0), node.integer("kv_num_heads", 0)
    q, k, v = _heads(b, query, q_heads), _heads(b, key, kv_heads), _heads(b, value, kv_heads)
    past = node.optional(4)
    if past is not None:
        k, v = b.concat([past, k], 2), b.concat([node.operand(5), v], 2)
    present = k, v
    heads, before = q.shape[1], 0 if past is None else past.shape[2]
    k, v = _repeated(b, k, heads), _repeated(b, v, heads)
    scale = node.number("scale", 1 / sqrt(q.shape[3])) if node.has("scale") else 1 / sqrt(q.shape[3])
    node.attribute("scale")
    root = sqrt(scale)
    scores = b.matmul(b.mul(q, root), b.swap(b.mul(k, root)))
    raw, cap = scores, node.number("softcap", 0.0)
    if cap:
        scores = b.mul(b.unary("tanh", b.div(scores, cap)), cap)
    capped = scores
    bias, allowed = _mask(b, node, q, k, before)
    if bias is not None:
        scores = b.add(scores, bias)
    if allowed is not None:
        scores = b.where(allowed, scores, -np.inf)
    masked, precision = scores, node.integer("softmax_precision", 0)
    weights = b.call("softmax.int", b.cast(scores, element_dtype(precision)) if precision else scores, 3)
    if bias is not None or allowed is not None:
        # A query that may look at nothing gets 0 and not NaN.
        nothing = b.compare("eq", b.reduce("amax.default", scores, [3]), -np.inf)
        weights = b.where(nothing, 0, weights)
    weights = b.cast(weights, dtype)
    made = b.matmul(weights, v)
    if flat:
        n, _, length, size = made.shape
        made = b.reshape(b.permute(made, [0, 2, 1, 3]), [n, length, heads * size])
    mode = node.integer("qk_matmul_output_mode", 0)
    shown = [raw, capped, masked, weights][mode] if node.wants(3) else None
    return [made, *present, shown]


def _mask(b: Builder, node: Node, q: Value, k: Value, before: int) -> tuple[Value | None, Value | None]:
    """What is added to the scores, and which of them count."""
    queries, keys = q.shape[2], k.shape[2]
    given, bias, allowed = node.optional(3), None, None
    lengths = node.optional(6) if node.version >= 24 else None
    if given is not None and given.shape[-1] < keys:
        fill = False if given.dtype == "bool" else -np.inf
        given = b.pad(given, [0], [keys - given.shape[-1]], fill)
    if given is not None and given.dtype == "bool":
        allowed = given
    else:
        bias = given
    causal = node.flag("is_causal")
    left, right = (node.integer(f"{side}_window_size", -1) if node.version >= 25 else -1 for side in ("left", "right"))
    places = b.integers(np.arange(keys))
    offset = b.integers(np.full([1, 1, 1, 1], before))
    if lengths is not None:
        counts = b.reshape(b.cast(lengths, "i64"), [lengths.shape[0], 1, 1, 1])
        allowed = _both(b, allowed, b.compare("lt", places, counts))
        if not before:
            offset = b.sub(counts, queries) if counts.array is None else b.integers(counts.array - queries)
    if not causal and left < 0 and right < 0:
        return bias, allowed
    rows = b.integers(np.arange(queries)[:, None])
    absolute = b.integers(rows.array + offset.array) if offset.array is not None else b.add(rows, offset)
    if causal:
        allowed = _both(b, allowed, _known_compare(b, "le", places, absolute))
    if left >= 0:
        allowed = _both(b, allowed, _known_compare(b, "ge", places, _plus(b, absolute, -left)))
    if right >= 0:
        allowed = _both(b, allowed, _known_compare(b, "le", places, _plus(b, absolute, right)))
    return bias, allowed


def _plus(b: Builder, x: Value, number: int) -> Value:
    return b.integers(x.array + number) if x.array is not None else b.add(x, number)


def _known_compare(b: Builder, kind: str, x: Value, y: Value) -> Value:
    if x.array is None or y.array is None:
        return b.compare(kind, x, y)
    return b.known(x.array <= y.array if kind == "le" else x.array >= y.array, "bool")


def _both(b: Builder, one: Value | None, other: Value) -> Value:
    return other if one is None else b.call("logical_and.default", one, other, dtype="bool")


@row("RotaryEmbedding")
def rotary_embedding(b: Builder, node: Node) -> Results:
    cos, sin, positions = node.operand(1), node.operand(2), node.optional(3)
    interleaved, width = node.flag("interleaved"), node.integer("rotary_embedding_dim", 0)
    x = _heads(b, node.x, node.integer("num_heads", 0))  # [batch, heads, sequence, size]
    width = width or x.shape[3]
    if positions is not None:
        place = b.cast(positions, "i64")
        cos, sin = b.index(cos, [place]), b.index(sin, [place])
    n, length, half = cos.shape
    cos, sin = b.reshape(cos, [n, 1, length, half]), b.reshape(sin, [n, 1, length, half])
    turned = b.slice(x, 3, 0, width)
    if interleaved:
        first, second = (b.slice(turned, 3, start, width - 1 + start, 2) for start in (0, 1))
    else:
        first, second = b.slice(turned, 3, 0, width // 2), b.slice(turned, 3, width // 2, width)
    real = b.sub(b.mul(cos, first), b.mul(sin, second))
    imaginary = b.add(b.mul(sin, first), b.mul(cos, second))
    made = b.reshape(b.stack([real, imaginary], 4), turned.shape) if interleaved else b.concat([real, imaginary], 3)
    if width < x.shape[3]:
        made = b.concat([made, b.slice(x, 3, width, x.shape[3])], 3)
    return made if node.x.rank == 4 else b.reshape(b.permute(made, [0, 2, 1, 3]), node.x.shape)


@row("LinearAttention")
def linear_attention(b: Builder, node: Node) -> Results:
    """Step by step: a state for each head of keys that every step decays and adds to."""
    rule = node.word("update_rule", "gated_delta")
    node.only("update_rule", "gated_delta", "linear", "gated", "delta")
    node.integer("chunk_size", 64)  # how it may be computed, not what
    heads, groups = node.integer("q_num_heads", 0), node.integer("kv_num_heads", 0)
    q, k, v = (_heads(b, node.operand(i), count) for i, count in ((0, heads), (1, groups), (2, groups)))
    batch, _, steps, width = q.shape
    scale = node.number("scale", 0.0) or 1 / sqrt(width)
    past, decay, beta = (node.optional(i) for i in (3, 4, 5))
    if ("gated" in rule and decay is None) or ("delta" in rule and beta is None):
        raise NoCounterpartError(f"update_rule {rule!r} without its decay or update rate")
    state = b.known(np.zeros([batch, groups, width, v.shape[3]]), q.dtype) if past is None else past
    gates = None if "gated" not in rule else _per_head(b, decay, groups)
    rates = None if "delta" not in rule else _per_head(b, beta, beta.shape[2])
    shown = []
    for t in range(steps):
        key = b.reshape(b.select(k, 2, t), [batch, groups, width, 1])
        value = b.reshape(b.select(v, 2, t), [batch, groups, 1, v.shape[3]])
        if gates is not None:
            gate = b.select(gates, 2, t)
            state = b.mul(state, b.unary("exp", b.reshape(gate, [*gate.shape, 1])))
        if rates is not None:
            rate = b.select(rates, 2, t)
            value = b.sub(value, b.matmul(b.swap(key), state))
            value = b.mul(value, b.reshape(rate, [*rate.shape, 1]))
        state = b.add(state, b.mul(key, value))
        query = b.reshape(b.select(q, 2, t), [batch, heads, 1, width])
        shown.append(b.mul(b.matmul(query, _repeated(b, state, heads)), scale))
    made = b.concat(shown, 2)
    return [b.reshape(b.permute(made, [0, 2, 1, 3]), [batch, steps, heads * v.shape[3]]), state]


def _per_head(b: Builder, x: Value | None, heads: int) -> Value:
    assert x is not None
    return _heads(b, x, heads)
