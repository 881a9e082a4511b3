"""Resize, Upsample, GridSample and AffineGrid."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor

import numpy as np

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value, bounded

Neighbours = tuple[np.ndarray, np.ndarray]  # [outputs, k] places and weights


@dataclass
class _Axis:
    """How one axis is resampled."""

    size: int
    wanted: int
    scale: float
    roi: tuple[float, float] = (0.0, 1.0)


@dataclass
class _Style:
    mode: str
    coordinates: str
    nearest: str
    cubic: float
    excludes_outside: bool
    antialias: bool
    extrapolation: float


def _coordinates(axis: _Axis, style: _Style) -> np.ndarray:
    """Where in the operand each element of the result lies."""
    x, length = np.arange(bounded(axis.wanted), dtype=np.float64), axis.scale * axis.size
    kind = style.coordinates
    if kind == "asymmetric":
        return x / axis.scale
    if kind == "half_pixel":
        return (x + 0.5) / axis.scale - 0.5
    if kind == "pytorch_half_pixel":
        return (x + 0.5) / axis.scale - 0.5 if axis.wanted > 1 else np.zeros(axis.wanted)
    if kind == "half_pixel_symmetric":
        offset = axis.size / 2 * (1 - axis.wanted / length)
        return offset + (x + 0.5) / axis.scale - 0.5
    if kind == "tf_half_pixel_for_nn":
        return (x + 0.5) / axis.scale
    if kind == "align_corners":
        return x * (axis.size - 1) / (axis.wanted - 1) if axis.wanted > 1 else np.zeros(axis.wanted)
    if kind == "tf_crop_and_resize":
        begin, end = axis.roi
        if axis.wanted > 1:
            return begin * (axis.size - 1) + x * (end - begin) * (axis.size - 1) / (axis.wanted - 1)
        return np.full(axis.wanted, 0.5 * (begin + end) * (axis.size - 1))
    raise NoCounterpartError(f"coordinate_transformation_mode is {kind!r}")


def _neighbours(axis: _Axis, style: _Style) -> Neighbours:
    at = _coordinates(axis, style)
    if style.mode == "nearest":
        # A scale is an f32: what is meant to lie at or between two elements lies there.
        halves = np.round(2 * at) / 2
        at = np.where(np.abs(at - halves) < 1e-5 * np.maximum(np.abs(at), 1), halves, at)
        rounded = {
            "round_prefer_floor": np.ceil(at - 0.5), "round_prefer_ceil": np.floor(at + 0.5),
            "floor": np.floor(at), "ceil": np.ceil(at),
        }  # fmt: skip
        if style.nearest not in rounded:
            raise NoCounterpartError(f"nearest_mode is {style.nearest!r}")
        places = np.clip(rounded[style.nearest], 0, axis.size - 1).astype(np.int64)[:, None]
        return places, np.ones(places.shape)
    reach, kernel = (1, _linear) if style.mode == "linear" else (2, _cubic)
    shrink = min(axis.scale, 1.0) if style.antialias else 1.0
    span = ceil(reach / shrink) + 1
    base = np.floor(at).astype(np.int64)
    places = base[:, None] + np.arange(-span + 1, span + 1)
    weights = kernel((at[:, None] - places) * shrink, style.cubic)
    if style.excludes_outside:
        weights = np.where((places >= 0) & (places < axis.size), weights, 0)
    if style.excludes_outside or style.antialias:
        weights = weights / weights.sum(axis=1, keepdims=True)
    places = np.clip(places, 0, axis.size - 1)
    used = (weights != 0).any(axis=0)
    return places[:, used], weights[:, used]


def _linear(x: np.ndarray, _: float) -> np.ndarray:
    return np.maximum(1 - np.abs(x), 0)


def _cubic(x: np.ndarray, a: float) -> np.ndarray:
    x = np.abs(x)
    near = (a + 2) * x**3 - (a + 3) * x**2 + 1
    far = a * x**3 - 5 * a * x**2 + 8 * a * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))


def _along(b: Builder, x: Value, dim: int, axis: _Axis, style: _Style) -> Value:
    """One axis, as a weighted sum of what is gathered along it."""
    places, weights = _neighbours(axis, style)
    made: Value | None = None
    for i in range(places.shape[1]):
        part = b.index_select(x, dim, places[:, i].tolist())
        if not (weights[:, i] == 1).all():
            part = b.mul(part, b.known(weights[:, i].reshape([-1, *[1] * (x.rank - dim - 1)]), x.dtype))
        made = part if made is None else b.add(made, part)
    assert made is not None
    return made


def _native(b: Builder, x: Value, axes: dict[int, _Axis], style: _Style) -> Value | None:
    """ATen's own resampling, where it means the same."""
    spatial = list(range(2, x.rank))
    if not x.is_float or sorted(axes) != spatial or style.antialias or style.excludes_outside:
        return None
    sizes = [axes[d].wanted for d in spatial]
    scales = [axes[d].scale for d in spatial]
    if any(floor(axes[d].size * axes[d].scale) != axes[d].wanted for d in spatial) or len(sizes) > 3:
        return None
    dims, shape = len(sizes), [*x.shape[:2], *sizes]
    aligned = style.coordinates == "align_corners"
    half = style.coordinates in ("half_pixel", "pytorch_half_pixel") and (
        style.coordinates == "half_pixel" or min(sizes) > 1
    )
    if style.mode == "nearest" and (style.coordinates, style.nearest) == ("asymmetric", "floor"):
        return b.call(f"upsample_nearest{dims}d.default", x, sizes, *scales, shape=shape)
    if style.mode == "linear" and (aligned or half) and min(sizes) > 1:
        name = {1: "linear", 2: "bilinear", 3: "trilinear"}[dims]
        return b.call(f"upsample_{name}{dims}d.default", x, sizes, aligned, *scales, shape=shape)
    if style.mode == "cubic" and dims == 2 and (aligned or half) and style.cubic == -0.75 and min(sizes) > 1:
        return b.call("upsample_bicubic2d.default", x, sizes, aligned, *scales, shape=shape)
    return None


def _resampled(b: Builder, x: Value, axes: dict[int, _Axis], style: _Style) -> Value:
    axes = {
        d: axis
        for d, axis in axes.items()
        if (axis.size, axis.scale, axis.roi) != (axis.wanted, 1.0, (0.0, 1.0)) or style.coordinates.startswith("tf_")
    }
    if style.coordinates == "tf_half_pixel_for_nn" and style.mode != "nearest":
        raise NoCounterpartError(f"tf_half_pixel_for_nn, which is of nearest neighbours, and mode {style.mode!r}")
    for axis in axes.values():
        length = axis.scale * axis.size
        if style.coordinates in ("align_corners", "tf_crop_and_resize") and abs(length - axis.wanted) > 1e-4:
            # The specification divides by the size less 1, the reference evaluator by the size before it is rounded.
            raise NoCounterpartError(f"{style.coordinates} by a scale that gives {length:g} elements")
    native = _native(b, x, axes, style)
    if native is not None:
        return native
    if not x.is_float and style.mode != "nearest":
        raise NoCounterpartError(f"integers that are resampled by {style.mode}")
    made = x
    for d, axis in axes.items():
        made = _along(b, made, d, axis, style)
    if style.coordinates == "tf_crop_and_resize":
        outside = np.zeros(made.shape, dtype=bool)
        for d, axis in axes.items():
            at = _coordinates(axis, style)
            beyond = (at < 0) | (at > axis.size - 1)
            outside |= beyond.reshape([-1, *[1] * (x.rank - d - 1)])
        if outside.any():
            made = b.where(b.known(outside, "bool"), style.extrapolation, made)
    return b.clone(x) if made is x else made


@row("Upsample", since=7, until=9)
def upsample(b: Builder, node: Node) -> Results:
    mode = node.word("mode", "nearest")
    scales = node.attribute("scales") if node.version < 9 else b.array(node.operand(1), "a scale").tolist()
    if mode not in ("nearest", "linear", "bilinear"):
        raise NoCounterpartError(f"mode is {mode!r}")
    style = _Style("nearest" if mode == "nearest" else "linear", "asymmetric", "floor", -0.75, False, False, 0)
    axes = {d: _Axis(size, floor(size * s), float(s)) for d, (size, s) in enumerate(zip(node.x.shape, scales,
                                                                                        strict=True))}  # fmt: skip
    return _resampled(b, node.x, axes, style)


@row("Resize", since=10)
def resize(b: Builder, node: Node) -> Results:
    x, mode = node.x, node.word("mode", "nearest")
    if mode not in ("nearest", "linear", "cubic"):
        raise NoCounterpartError(f"mode is {mode!r}")
    if node.version == 10:
        scales = [float(s) for s in b.array(node.operand(1), "a scale")]
        if mode == "nearest" and min(scales) < 1:
            raise NoCounterpartError("nearest by a scale below 1: operator set 10 does not say how it rounds")
        style = _Style(mode, "asymmetric", "floor", -0.75, False, False, 0)
        axes = {d: _Axis(size, floor(size * scales[d]), scales[d]) for d, size in enumerate(x.shape)}
        return _resampled(b, x, axes, style)
    style = _Style(
        mode,
        node.word("coordinate_transformation_mode", "half_pixel"),
        node.word("nearest_mode", "round_prefer_floor"),
        node.number("cubic_coeff_a", -0.75),
        node.flag("exclude_outside"),
        node.flag("antialias"),
        node.number("extrapolation_value", 0.0),
    )
    if style.antialias and mode == "nearest":
        style.antialias = False
    chosen = [d % x.rank for d in node.integers("axes") or range(x.rank)]
    policy = node.word("keep_aspect_ratio_policy", "stretch")
    roi = [0.0] * len(chosen) + [1.0] * len(chosen)
    region = node.optional(1)  # which says nothing to the other modes
    if style.coordinates == "tf_crop_and_resize":
        roi = [float(number) for number in b.array(region, "a region")]
    axes = {}
    given, wanted = node.optional(2), node.optional(3)
    for i, (d, (size, scale)) in enumerate(zip(chosen, _sizes(b, x, chosen, given, wanted, policy), strict=True)):
        axes[d] = _Axis(x.shape[d], size, scale, (roi[i], roi[i + len(chosen)]))
    return _resampled(b, x, axes, style)


def _sizes(b: Builder, x: Value, axes: list[int], given: Value | None, wanted: Value | None,
           policy: str) -> list[tuple[int, float]]:  # fmt: skip
    """The size and the scale of each axis."""
    if given is not None and given.numel:
        scales = [float(s) for s in b.array(given, "a scale").reshape(-1)]
        return [(floor(x.shape[d] * scale), scale) for d, scale in zip(axes, scales, strict=True)]
    sizes = b.ints(wanted, "a size")
    ratios = [size / x.shape[d] for d, size in zip(axes, sizes, strict=True)]
    if policy == "stretch":
        return list(zip(sizes, ratios, strict=True))
    if policy not in ("not_larger", "not_smaller"):
        raise NoCounterpartError(f"keep_aspect_ratio_policy is {policy!r}")
    scale = min(ratios) if policy == "not_larger" else max(ratios)
    return [(floor(scale * x.shape[d] + 0.5), scale) for d in axes]


@row("GridSample")
def grid_sample(b: Builder, node: Node) -> Results:
    x, grid = node.x, node.operand(1)
    modes = {"linear": 0, "bilinear": 0, "nearest": 1, "cubic": 2, "bicubic": 2}
    mode = node.word("mode", "linear")
    pads = node.word("padding_mode", "zeros")
    paddings = {"zeros": 0, "border": 1, "reflection": 2}
    if x.rank not in (4, 5) or mode not in modes or pads not in paddings or (x.rank == 5 and modes[mode] == 2):
        raise NoCounterpartError(f"mode {mode!r} and padding_mode {pads!r} of {x.rank} dims")
    op = f"grid_sampler_{x.rank - 2}d.default"
    shape = [*x.shape[:2], *grid.shape[1:-1]]
    return b.call(op, x, b.cast(grid, x.dtype), modes[mode], paddings[pads], node.flag("align_corners"), shape=shape)


@row("AffineGrid")
def affine_grid(b: Builder, node: Node) -> Results:
    theta, sizes, aligned = node.x, b.ints(node.operand(1), "a size"), node.flag("align_corners")
    n, spatial = sizes[0], sizes[2:]
    lines = []
    for size in spatial:
        steps = np.arange(size, dtype=np.float64)
        lines.append(steps * 2 / max(size - 1, 1) - 1 if aligned else (2 * steps + 1) / size - 1)
    mesh = np.meshgrid(*lines, indexing="ij")
    points = np.stack([*mesh[::-1], np.ones(spatial)], axis=-1).reshape(-1, len(spatial) + 1)
    made = b.matmul(b.known(points, theta.dtype), b.swap(theta))
    return b.reshape(made, [n, *spatial, len(spatial)])
