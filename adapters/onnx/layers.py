"""Normalizations and resampling."""

from __future__ import annotations

import math
from typing import Any

from adapters.onnx.graph import Graph, Value, keeps
from adapters.onnx.ops import Results, function, wide
from adapters.onnx.promotion import is_float
from adapters.worker.system import UnsupportedError

# ---- normalizations


def _layer_norm(
    graph: Graph, x: Value, shape: list[int], weight: Value | None, bias: Value | None, eps: float
) -> list[Value]:
    if x.dtype == "f64":
        return _layer_norm_formula(graph, x, shape, weight, bias, eps)
    worked = wide(x.dtype)
    axis = x.rank - len(shape)
    scale = graph.cast(weight, worked) if weight else graph.expand(graph.number(1.0, worked), shape)
    shift = graph.cast(bias, worked) if bias else None
    kept = (*x.shape[:axis], *(1 for _ in shape))
    made = [(worked, x.shape), (worked, kept), (worked, kept)]
    return graph.results(
        "LayerNormalization", [graph.cast(x, worked), scale, shift], made, axis=axis, epsilon=float(eps)
    )


def _layer_norm_formula(
    graph: Graph, x: Value, shape: list[int], weight: Value | None, bias: Value | None, eps: float
) -> list[Value]:
    """For f64: the operator computes its first stage in f32 (stash_type has no double)."""
    dims = list(range(x.rank - len(shape), x.rank))
    mean = graph.reduce("ReduceMean", x, dims, True)
    distance = graph.op("Sub", x, mean)
    variance = graph.reduce("ReduceMean", graph.op("Mul", distance, distance), dims, True)
    root = graph.op("Sqrt", graph.op("Add", variance, graph.number(float(eps), x.dtype)))
    spread = graph.op("Reciprocal", root)
    made = graph.op("Mul", distance, spread)
    made = made if weight is None else graph.op("Mul", made, weight)
    made = made if bias is None else graph.op("Add", made, bias)
    return [made, mean, spread]


@function("layer_norm.default")
def layer_norm(
    graph: Graph,
    input: Value,
    normalized_shape: list[int],
    weight: Value | None = None,
    bias: Value | None = None,
    eps: float = 1e-5,
    cudnn_enable: bool = True,
) -> Results:
    return graph.cast(_layer_norm(graph, input, normalized_shape, weight, bias, eps)[0], input.dtype)


@function("native_layer_norm.default")
def native_layer_norm(
    graph: Graph,
    input: Value,
    normalized_shape: list[int],
    weight: Value | None,
    bias: Value | None,
    eps: float,
) -> Results:
    return [graph.cast(one, input.dtype) for one in _layer_norm(graph, input, normalized_shape, weight, bias, eps)]


@function("rms_norm.default")
def rms_norm(
    graph: Graph,
    input: Value,
    normalized_shape: list[int],
    weight: Value | None = None,
    eps: float | None = None,
) -> Results:
    worked = wide(input.dtype)
    if eps is None:
        eps = {"f32": 2.0**-23, "f64": 2.0**-52}[worked]
    x = graph.cast(input, worked)
    dims = list(range(x.rank - len(normalized_shape), x.rank))
    squares = graph.reduce("ReduceMean", graph.op("Mul", x, x), dims, True)
    root = graph.op("Sqrt", graph.op("Add", squares, graph.number(float(eps), worked)))
    made = graph.op("Mul", x, graph.op("Reciprocal", root))
    made = made if weight is None else graph.op("Mul", made, graph.cast(weight, worked))
    return graph.cast(made, input.dtype)


def _along_channels(graph: Graph, x: Value, numbers: Value) -> Value:
    """A number a channel, to broadcast over x."""
    return graph.reshape(graph.cast(numbers, x.dtype), (numbers.numel, *(1 for _ in x.shape[2:])))


@function("group_norm.default")
def group_norm(
    graph: Graph,
    input: Value,
    num_groups: int,
    weight: Value | None = None,
    bias: Value | None = None,
    eps: float = 1e-5,
    cudnn_enabled: bool = True,
) -> Results:
    return _group_norm(graph, input, num_groups, weight, bias, eps)[0]


@function("native_group_norm.default")
def native_group_norm(
    graph: Graph,
    input: Value,
    weight: Value | None,
    bias: Value | None,
    N: int,  # noqa: N803
    C: int,  # noqa: N803
    HxW: int,  # noqa: N803
    group: int,
    eps: float,
) -> Results:
    return _group_norm(graph, input, group, weight, bias, eps)


def _group_norm(
    graph: Graph, x: Value, groups: int, weight: Value | None, bias: Value | None, eps: float
) -> list[Value]:
    """A layer norm of each group: ONNX's own GroupNormalization of this operator set has a scale a group."""
    size = math.prod(x.shape[1:]) // groups
    grouped = graph.reshape(graph.cast(x, wide(x.dtype)), (x.shape[0], groups, size))
    made, mean, spread = _layer_norm(graph, grouped, [size], None, None, eps)
    made = graph.reshape(made, x.shape)
    made = made if weight is None else graph.op("Mul", made, _along_channels(graph, made, weight))
    made = made if bias is None else graph.op("Add", made, _along_channels(graph, made, bias))
    kept = [graph.cast(graph.squeeze(one, [2]), x.dtype) for one in (mean, spread)]
    return [graph.cast(made, x.dtype), *kept]


def _inference_norm(
    graph: Graph, x: Value, weight: Value | None, bias: Value | None, mean: Value, variance: Value, eps: float
) -> Value:
    worked = wide(x.dtype)
    channels = x.shape[1]
    scale = weight or graph.expand(graph.number(1.0, worked), (channels,))
    shift = bias or graph.expand(graph.number(0.0, worked), (channels,))
    operands = [graph.cast(one, worked) for one in (x, scale, shift, mean, variance)]
    if keeps(worked, float(eps)):
        return graph.cast(graph.op("BatchNormalization", *operands, shape=x.shape, epsilon=float(eps)), x.dtype)
    wide_x, *parameters = operands
    scale, shift, mean, variance = (_along_channels(graph, wide_x, one) for one in parameters)
    root = graph.op("Sqrt", graph.op("Add", variance, graph.number(float(eps), worked)))
    made = graph.op("Mul", graph.op("Div", graph.op("Sub", wide_x, mean), root), scale)
    return graph.cast(graph.op("Add", made, shift), x.dtype)


@function("batch_norm.default")
def batch_norm(
    graph: Graph,
    input: Value,
    weight: Value | None,
    bias: Value | None,
    running_mean: Value | None,
    running_var: Value | None,
    training: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool = True,
) -> Results:
    if training or running_mean is None or running_var is None:
        raise UnsupportedError("batch norm that trains")
    return _inference_norm(graph, input, weight, bias, running_mean, running_var, eps)


# ---- resampling


def _resize(graph: Graph, x: Value, output_size: Any, scales: Any, mode: str, coordinates: str, **more: Any) -> Value:
    """ONNX takes the scale from the sizes; a scale of its own that differs from it is another op."""
    if mode != "nearest" and not is_float(x.dtype):
        raise UnsupportedError("eager rounds what it interpolates of integers in its own way")
    sizes = x.shape[2:]
    for size, out, scale in zip(sizes, output_size, scales, strict=True):
        if scale is not None and scale * size != out:
            raise UnsupportedError("a scale that is not that of the sizes")
    shape = (*x.shape[:2], *output_size)
    worked = graph.cast(x, wide(x.dtype))
    attributes = {"mode": mode, "coordinate_transformation_mode": coordinates, **more}
    made = graph.op("Resize", worked, None, None, graph.integers(shape), shape=shape, **attributes)
    return graph.cast(made, x.dtype)


def _sizes_and_scales(
    x: Value, output_size: list[int] | None, scale_factors: list[float] | None
) -> tuple[list[int], list[float | None]]:
    """Of the `vec` overloads, which are given one of the two."""
    scales = scale_factors or [None] * (x.rank - 2)
    return output_size or [int(n * s) for n, s in zip(x.shape[2:], scales, strict=True)], scales


def _upsamples(name: str, dims: int, mode: str, coordinates: str, **more: Any) -> None:
    @function(f"{name}.default")
    def write(graph: Graph, self: Value, output_size: list[int], *scales: float | None) -> Results:
        return _resize(graph, self, output_size, scales or [None] * dims, mode, coordinates, **more)

    @function(f"{name}.vec")
    def write_vec(
        graph: Graph, input: Value, output_size: list[int] | None, scale_factors: list[float] | None
    ) -> Results:
        return _resize(graph, input, *_sizes_and_scales(input, output_size, scale_factors), mode, coordinates, **more)


def _smooth_upsamples(name: str, dims: int, mode: str, **more: Any) -> None:
    def coordinates(align_corners: bool) -> str:
        return "align_corners" if align_corners else "half_pixel"

    @function(f"{name}.default")
    def write(graph: Graph, self: Value, output_size: list[int], align_corners: bool, *scales: float | None) -> Results:
        where = coordinates(align_corners)
        return _resize(graph, self, output_size, scales or [None] * dims, mode, where, **more)

    @function(f"{name}.vec")
    def write_vec(
        graph: Graph, input: Value, output_size: list[int] | None, align_corners: bool,
        scale_factors: list[float] | None,
    ) -> Results:  # fmt: skip
        where = coordinates(align_corners)
        return _resize(graph, input, *_sizes_and_scales(input, output_size, scale_factors), mode, where, **more)


for _dims in (1, 2, 3):
    _upsamples(f"upsample_nearest{_dims}d", _dims, "nearest", "asymmetric", nearest_mode="floor")
for _dims in (1, 2):
    _upsamples(f"_upsample_nearest_exact{_dims}d", _dims, "nearest", "half_pixel", nearest_mode="round_prefer_ceil")
_smooth_upsamples("upsample_linear1d", 1, "linear")
_smooth_upsamples("upsample_bilinear2d", 2, "linear")
_smooth_upsamples("upsample_trilinear3d", 3, "linear")
_smooth_upsamples("upsample_bicubic2d", 2, "cubic", cubic_coeff_a=-0.75)


def _grid_sampler(name: str) -> None:
    @function(name)
    def write(
        graph: Graph,
        input: Value,
        grid: Value,
        interpolation_mode: int,
        padding_mode: int,
        align_corners: bool,
    ) -> Results:
        worked = wide(input.dtype)
        x, places = graph.cast(input, worked), graph.cast(grid, worked)
        made = graph.op(
            "GridSample",
            x,
            places,
            shape=(*x.shape[:2], *places.shape[1:-1]),
            mode=("linear", "nearest", "cubic")[interpolation_mode],
            padding_mode=("zeros", "border", "reflection")[padding_mode],
            align_corners=int(align_corners),
        )
        return graph.cast(made, input.dtype)


_grid_sampler("grid_sampler_2d.default")
_grid_sampler("grid_sampler_3d.default")
