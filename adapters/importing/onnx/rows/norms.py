"""Normalizations."""

from __future__ import annotations

from math import prod

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.rows.pools import norm
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.types import element_dtype
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value


def _stashed(b: Builder, node: Node) -> tuple[Value, str]:
    """The operand in the dtype that the first stage computes in. Eager widens halves by itself."""
    stash = element_dtype(node.integer("stash_type", 1))
    x = node.x
    inside = x.dtype == stash or (x.dtype in ("f16", "bf16") and stash == "f32")
    return (x if inside else b.cast(x, stash)), x.dtype


def _scaled(b: Builder, x: Value, scale: Value | None, shift: Value | None, dtype: str) -> Value:
    x = b.cast(x, dtype)
    x = x if scale is None else b.mul(x, scale)
    return x if shift is None else b.add(x, shift)


@row("LayerNormalization")
def layer_norm(b: Builder, node: Node) -> Results:
    x, dtype = _stashed(b, node)
    axis, epsilon = node.axis(-1), node.number("epsilon", 1e-5)
    sizes, scale, shift = list(x.shape[axis:]), node.operand(1), node.optional(2)
    plain = x.dtype == dtype and all(one is None or list(one.shape) == sizes for one in (scale, shift))
    pair = (scale, shift) if plain else (None, None)
    if node.wants(1) or node.wants(2):
        kept = b.reduced(x, range(axis, x.rank), True)
        stash = element_dtype(node.integer("stash_type", 1))
        wide = b.cast(x, stash)
        if wide.dtype != x.dtype:
            pair = (None, None)
        results = [(wide.dtype, x.shape), (wide.dtype, kept), (wide.dtype, kept)]
        made, mean, deviation = b.several("native_layer_norm.default", wide, sizes, *pair, epsilon, results=results)
        made = made if pair[0] is not None else _scaled(b, made, scale, shift, dtype)
        return [made, mean, deviation]
    made = b.call("layer_norm.default", x, sizes, *pair, epsilon, shape=x.shape)
    return made if plain else _scaled(b, made, scale, shift, dtype)


@row("RMSNormalization")
def rms_norm(b: Builder, node: Node) -> Results:
    x, dtype = _stashed(b, node)
    axis, epsilon, scale = node.axis(-1), node.number("epsilon", 1e-5), node.operand(1)
    sizes = list(x.shape[axis:])
    if x.dtype == dtype and list(scale.shape) == sizes:
        return b.call("rms_norm.default", x, sizes, scale, epsilon, shape=x.shape)
    return _scaled(b, b.call("rms_norm.default", x, sizes, None, epsilon, shape=x.shape), scale, None, dtype)


@row("InstanceNormalization", since=6)
def instance_norm(b: Builder, node: Node) -> Results:
    """A group to each channel."""
    x, epsilon = node.x, node.number("epsilon", 1e-5)
    return b.call("group_norm.default", x, x.shape[1], node.operand(1), node.operand(2), epsilon, shape=x.shape)


@row("GroupNormalization")
def group_norm(b: Builder, node: Node) -> Results:
    groups, epsilon = node.integer("num_groups", 1), node.number("epsilon", 1e-5)
    scale, shift = node.operand(1), node.operand(2)
    if node.version >= 21:
        x, dtype = _stashed(b, node)
        if x.dtype == dtype:
            return b.call("group_norm.default", x, groups, scale, shift, epsilon, shape=x.shape)
        made = b.call("group_norm.default", x, groups, None, None, epsilon, shape=x.shape)
        spread = [scale.numel, *[1] * (x.rank - 2)]
        return _scaled(b, made, b.reshape(scale, spread), b.reshape(shift, spread), dtype)
    x = node.x
    made = b.call("group_norm.default", x, groups, None, None, epsilon, shape=x.shape)
    parts = b.reshape(made, [x.shape[0], groups, prod(x.shape[1:]) // groups])
    parts = b.add(b.mul(parts, b.reshape(scale, [groups, 1])), b.reshape(shift, [groups, 1]))
    return b.reshape(parts, x.shape)


@row("BatchNormalization", since=7)
def batch_norm(b: Builder, node: Node) -> Results:
    x, scale, shift, mean, variance = (node.operand(i) for i in range(5))
    if node.version < 9:
        node.only("spatial", 1)
    epsilon, momentum = node.number("epsilon", 1e-5), node.number("momentum", 0.9)
    if not node.flag("training_mode"):
        if any(node.wants(i) for i in range(1, 5)):
            raise NoCounterpartError("its running statistics are used, and it does not train")
        if x.rank < 2 or {scale.dtype, shift.dtype, mean.dtype, variance.dtype} != {x.dtype}:
            raise NoCounterpartError("operands of different dtypes, or of less than two dims")
        return b.call("batch_norm.default", x, scale, shift, mean, variance, False, 0.1, epsilon, False, shape=x.shape)
    dims, wide = [0, *range(2, x.rank)], [x.shape[1], *[1] * (x.rank - 2)]
    current = b.mean(x, dims, False)
    spread = b.call("var.correction", x, dims, correction=0, keepdim=False, shape=current.shape)
    centred = b.sub(x, b.reshape(current, wide))
    scaled = b.mul(centred, b.reshape(b.unary("rsqrt", b.add(spread, epsilon)), wide))
    made = b.add(b.mul(scaled, b.reshape(scale, wide)), b.reshape(shift, wide))
    running = [
        b.add(b.mul(old, momentum), b.mul(b.cast(new, old.dtype), 1 - momentum)) if node.wants(i) else None
        for i, (old, new) in enumerate(((mean, current), (variance, spread)), 1)
    ]
    return [made, *running]


@row("LpNormalization")
def lp_normalization(b: Builder, node: Node) -> Results:
    axis, p = node.axis(-1), node.integer("p", 2)
    length = norm(b, node.x, [axis], p, keep=True)
    # Where there is nothing to divide by, the result is 0.
    zero = b.compare("eq", length, 0)
    return b.where(zero, 0, b.div(node.x, b.where(zero, 1, length)))


@row("MeanVarianceNormalization")
def mean_variance_normalization(b: Builder, node: Node) -> Results:
    axes = [axis % node.x.rank for axis in node.integers("axes") or [0, 2, 3]]
    mean = b.mean(node.x, axes)
    variance = b.sub(b.mean(b.mul(node.x, node.x), axes), b.mul(mean, mean))
    return b.div(b.sub(node.x, mean), b.add(b.unary("sqrt", variance), 1e-9))


@row("LRN")
def local_response(b: Builder, node: Node) -> Results:
    x, size = node.x, node.integer("size", 1)
    alpha, beta, bias = node.number("alpha", 1e-4), node.number("beta", 0.75), node.number("bias", 1.0)
    rest = [0] * (x.rank - 2)
    squares = b.pad(b.mul(x, x), [(size - 1) // 2, *rest], [size // 2, *rest])
    total: Value | None = None
    for i in range(size):
        part = b.slice(squares, 1, i, i + x.shape[1])
        total = part if total is None else b.add(total, part)
    assert total is not None
    return b.div(x, b.call("pow.Tensor_Scalar", b.add(b.mul(total, alpha / size), bias), beta))
