"""Pools: ATen's where it has them, else a reduction over windows that are gathered."""

from __future__ import annotations

from math import prod

import numpy as np

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.rows.windows import Windows, windows
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value
from adapters.worker.arrays import DTYPES


def _spec(node: Node, ceil: bool) -> Windows:
    kernel = node.integers("kernel_shape")
    if kernel is None or node.x.rank != len(kernel) + 2:
        raise NoCounterpartError(f"kernel_shape is {kernel} for {node.x.rank} dims")
    return windows(node, node.x.shape[2:], kernel, ceil)


def _gathered(b: Builder, x: Value, spec: Windows, fill: float) -> tuple[Value, list[int]]:
    """[N, C, o1, k1, o2, k2, …] and the dims of the kernels."""
    dims = len(spec.kernel)
    after = [a + over for a, over in zip(spec.after, spec.overhang, strict=True)]
    x = b.pad(x, spec.before, after, fill)
    shape = list(x.shape[:2])
    for d in range(dims):
        places = np.arange(spec.outputs[d])[:, None] * spec.strides[d] + np.arange(spec.kernel[d]) * spec.dilations[d]
        x = b.index_select(x, d + 2, places.reshape(-1).tolist())
        shape += [spec.outputs[d], spec.kernel[d]]
    return b.reshape(x, shape), [3 + 2 * d for d in range(dims)]


def _lowest(dtype: str) -> float:
    return -np.inf if dtype in ("f16", "bf16", "f32", "f64") else int(np.iinfo(DTYPES[dtype]).min)


@row("MaxPool")
def max_pool(b: Builder, node: Node) -> Results:
    x, spec = node.x, _spec(node, node.flag("ceil_mode"))
    dims, order = len(spec.kernel), node.integer("storage_order", 0)
    shape = (*x.shape[:2], *spec.outputs)
    fits = spec.symmetric and all(2 * p <= k for p, k in zip(spec.before, spec.kernel, strict=True))
    if dims <= 3 and fits and x.is_float:
        # A pool of one dim is one of two.
        lift = [1] * (dims == 1)
        sizes = [[*lift, *spec.kernel], [*lift, *spec.strides], [0] * len(lift) + spec.before, [*lift, *spec.dilations]]
        lifted = b.reshape(x, [*x.shape[:2], *lift, *x.shape[2:]])
        op = f"max_pool{max(dims, 2)}d_with_indices.default"
        results = [(x.dtype, (*shape[:2], *lift, *spec.outputs)), ("i64", (*shape[:2], *lift, *spec.outputs))]
        ceil = any(spec.overhang)
        values, places = b.several(op, lifted, *sizes, ceil, results=results)
        values, places = b.reshape(values, shape), b.reshape(places, shape)
        return [values, _flat_places(b, x, places, order) if node.wants(1) else None]
    gathered, kernels = _gathered(b, x, spec, _lowest(x.dtype))
    values = b.reduce("amax.default", gathered, kernels, False)
    if not node.wants(1):
        return [values, None]
    # The first of the greatest ones of each window, and the place in the image that it was gathered from.
    image = np.arange(prod(x.shape[2:])).reshape(x.shape[2:])
    after = [a + over for a, over in zip(spec.after, spec.overhang, strict=True)]
    image = np.pad(image, list(zip(spec.before, after, strict=True)))
    for d in range(dims):
        places = np.arange(spec.outputs[d])[:, None] * spec.strides[d] + np.arange(spec.kernel[d]) * spec.dilations[d]
        image = np.take(image, places.reshape(-1), axis=d)
    split = image.reshape([size for d in range(dims) for size in (spec.outputs[d], spec.kernel[d])])
    table = split.transpose([*range(0, 2 * dims, 2), *range(1, 2 * dims, 2)]).reshape(*spec.outputs, -1)
    front = b.permute(gathered, [0, 1, *(2 + 2 * d for d in range(dims)), *kernels])
    front = b.reshape(front, [*shape, prod(spec.kernel)])
    best = b.call("argmax.default", front, -1, True, dtype="i64", shape=[*shape, 1])
    places = b.call("gather.default", b.expand(b.integers(table), [*shape, prod(spec.kernel)]), dims + 2, best,
                    shape=[*shape, 1])  # fmt: skip
    return [values, _flat_places(b, x, b.reshape(places, shape), order)]


def _flat_places(b: Builder, x: Value, places: Value, order: int) -> Value:
    """Places in the whole tensor, for those in an image; column by column if the order says so."""
    plane = prod(x.shape[2:])
    if order:
        rest, moved, step = places, None, 1
        steps = [prod(x.shape[2 : 2 + d]) for d in range(x.rank - 2)]
        for d in range(x.rank - 3, -1, -1):
            size = x.shape[2 + d]
            at = b.call("remainder.Scalar", rest, size)
            rest = b.call("div.Scalar_mode", rest, size, rounding_mode="floor")
            term = b.mul(at, steps[d] * step)
            moved = term if moved is None else b.add(moved, term)
        assert moved is not None
        places = moved
    starts = np.arange(prod(x.shape[:2])).reshape([*x.shape[:2], *[1] * (x.rank - 2)]) * plane
    return b.add(places, b.integers(starts)) if prod(x.shape[:2]) > 1 else places


@row("AveragePool")
def average_pool(b: Builder, node: Node) -> Results:
    x, ceil, counts_pads = node.x, node.flag("ceil_mode"), node.flag("count_include_pad")
    spec = _spec(node, ceil)
    dims, shape = len(spec.kernel), (*x.shape[:2], *spec.outputs)
    fits = spec.symmetric and all(2 * p <= k for p, k in zip(spec.before, spec.kernel, strict=True))
    if dims <= 3 and fits and set(spec.dilations) == {1}:
        op = f"avg_pool{dims}d.default"
        return b.call(op, x, spec.kernel, spec.strides, spec.before, any(spec.overhang), counts_pads, shape=shape)
    gathered, kernels = _gathered(b, x, spec, 0)
    return b.div(b.sum(gathered, kernels, False), b.known(_counts(x, spec, counts_pads), x.dtype))


def _counts(x: Value, spec: Windows, counts_pads: bool) -> np.ndarray:
    """How many elements each window has, with the pads or without."""
    counts = np.ones(1)
    for d, size in enumerate(x.shape[2:]):
        places = np.arange(spec.outputs[d])[:, None] * spec.strides[d] + np.arange(spec.kernel[d]) * spec.dilations[d]
        low, high = (0, size + spec.before[d] + spec.after[d]) if counts_pads else (
            spec.before[d], spec.before[d] + size)  # fmt: skip
        counts = np.multiply.outer(counts, ((places >= low) & (places < high)).sum(axis=1))
    return counts.reshape(spec.outputs)


@row("LpPool", since=2)
def lp_pool(b: Builder, node: Node) -> Results:
    spec, p = _spec(node, node.flag("ceil_mode")), node.integer("p", 2)
    gathered, kernels = _gathered(b, node.x, spec, 0)
    return norm(b, gathered, kernels, p, keep=False)


def norm(b: Builder, x: Value, dims: list[int], p: int, keep: bool) -> Value:
    if p == 1:
        return b.sum(b.unary("abs", x), dims, keep)
    if p == 2:
        return b.unary("sqrt", b.sum(b.mul(x, x), dims, keep))
    powers = b.call("pow.Tensor_Scalar", b.unary("abs", x), p)
    return b.call("pow.Tensor_Scalar", b.sum(powers, dims, keep), 1 / p)


@row("GlobalAveragePool", "GlobalMaxPool")
def global_pool(b: Builder, node: Node) -> Results:
    dims = list(range(2, node.x.rank))
    return b.mean(node.x, dims) if node.kind == "GlobalAveragePool" else b.reduce("amax.default", node.x, dims)


@row("GlobalLpPool", since=2)
def global_lp_pool(b: Builder, node: Node) -> Results:
    return norm(b, node.x, list(range(2, node.x.rank)), node.integer("p", 2), keep=True)


@row("MaxUnpool")
def max_unpool(b: Builder, node: Node) -> Results:
    """The elements at the places that the pool took them from, zeros elsewhere."""
    x, places = node.x, b.cast(node.operand(1), "i64")
    kernel = node.integers("kernel_shape") or []
    dims = len(kernel)
    strides, pads = node.integers("strides") or [1] * dims, node.integers("pads") or [0] * 2 * dims
    sizes = [(x.shape[2 + d] - 1) * strides[d] + kernel[d] - pads[d] - pads[d + dims] for d in range(dims)]
    inferred = [*x.shape[:2], *sizes]
    shape = inferred if node.optional(2) is None else b.ints(node.optional(2), "a size")
    if shape != inferred:
        # The places are those in an image of the inferred sizes: they move to the image that is asked for.
        moved, rest = None, places
        for d in range(len(shape) - 1, -1, -1):
            at = b.call("remainder.Scalar", rest, inferred[d])
            rest = b.call("div.Scalar_mode", rest, inferred[d], rounding_mode="floor")
            term = b.mul(at, prod(shape[d + 1 :]))
            moved = term if moved is None else b.add(moved, term)
        assert moved is not None
        places = moved
    flat = b.full([prod(shape)], 0, x.dtype)
    made = b.call("scatter.src", flat, 0, b.reshape(places, [x.numel]), b.reshape(x, [x.numel]), shape=flat.shape)
    return b.reshape(made, shape)
