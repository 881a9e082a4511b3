"""Pools: averages, maxima with their places, and averages of as many windows as the result is to have."""

from __future__ import annotations

import math
from typing import Any

from adapters.onnx.graph import Graph, Value
from adapters.onnx.ops import Results, function, wide
from adapters.onnx.promotion import is_float
from adapters.onnx.windows import Spatial, batched, each, unbatched, windows_in
from adapters.worker.system import UnsupportedError


def _pool(
    x: Value, dims: int, kernel: Spatial, stride: Spatial | None, padding: Spatial, dilation: Spatial, ceil_mode: bool
) -> tuple[tuple[int, ...], dict[str, Any]]:
    """The sizes of the result of `x`, which has its batch dim, and the attributes that both operators of ONNX have."""
    kernel, padding, dilation = (each(numbers, dims) for numbers in (kernel, padding, dilation))
    stride = kernel if stride in ([], None) else each(stride, dims)
    shape = (*x.shape[:2], *windows_in(x.shape[2:], kernel, stride, padding, dilation, ceil_mode))
    rounding = {"ceil_mode": 1} if ceil_mode else {}
    return shape, {"kernel_shape": kernel, "strides": stride, "pads": padding * 2, **rounding}


def _average_pool(
    graph: Graph, self: Value, dims: int, kernel: Spatial, stride: Spatial | None, padding: Spatial = 0,
    ceil_mode: bool = False, include_pad: bool = True,
) -> Value:  # fmt: skip
    if not is_float(self.dtype):
        raise UnsupportedError("ONNX averages floats")
    x = batched(graph, graph.cast(self, wide(self.dtype)), dims)
    shape, attributes = _pool(x, dims, kernel, stride, padding, 1, ceil_mode)
    made = graph.op("AveragePool", x, shape=shape, count_include_pad=int(include_pad), **attributes)
    return graph.cast(unbatched(graph, made, self), self.dtype)


def _average_pools(name: str, adaptive: str, dims: int) -> None:
    @function(name)
    def average_pool(
        graph: Graph, self: Value, kernel_size: Spatial, stride: Spatial | None = None, padding: Spatial = 0,
        ceil_mode: bool = False, count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> Results:  # fmt: skip
        if divisor_override is not None:
            raise UnsupportedError("ONNX's AveragePool divides by the window's size")
        return _average_pool(graph, self, dims, kernel_size, stride, padding, ceil_mode, count_include_pad)

    @function(adaptive)
    def adaptive_average_pool(graph: Graph, self: Value, output_size: Spatial) -> Results:
        wanted, sizes = each(output_size, dims), self.shape[-dims:]
        if any(out <= 0 or size % out for size, out in zip(sizes, wanted, strict=True)):
            raise UnsupportedError("ONNX has no pool whose windows differ in size")
        kernel = [size // out for size, out in zip(sizes, wanted, strict=True)]
        return _average_pool(graph, self, dims, kernel, kernel)


def _maxima(
    graph: Graph, self: Value, dims: int, kernel_size: Spatial, stride: Spatial | None, padding: Spatial,
    dilation: Spatial, ceil_mode: bool, with_places: bool,
) -> list[Value]:  # fmt: skip
    """Maxima, and their places where they are asked for: exporters leave them out where nobody reads them."""
    if not is_float(self.dtype):
        raise UnsupportedError("a max pool of integers")
    x = batched(graph, graph.cast(self, wide(self.dtype)), dims)
    shape, attributes = _pool(x, dims, kernel_size, stride, padding, dilation, ceil_mode)
    attributes["dilations"] = each(dilation, dims)
    dtypes = (x.dtype, "i64") if with_places else (x.dtype,)
    values, *counted = graph.results("MaxPool", [x], [(dtype, shape) for dtype in dtypes], **attributes)
    # ONNX counts a place from the start of the tensor, ATen from that of its plane.
    places = [graph.op("Mod", one, graph.number(math.prod(x.shape[2:]), "i64")) for one in counted]
    return [unbatched(graph, one, self) for one in (graph.cast(values, self.dtype), *places)]


def _max_pool(name: str, dims: int) -> None:
    @function(f"{name}_with_indices.default")
    def max_pool(
        graph: Graph, self: Value, kernel_size: Spatial, stride: Spatial | None = None, padding: Spatial = 0,
        dilation: Spatial = 1, ceil_mode: bool = False,
    ) -> Results:  # fmt: skip
        return _maxima(graph, self, dims, kernel_size, stride, padding, dilation, ceil_mode, with_places=True)

    @function(f"{name}.default")
    def maxima(
        graph: Graph, self: Value, kernel_size: Spatial, stride: Spatial | None = None, padding: Spatial = 0,
        dilation: Spatial = 1, ceil_mode: bool = False,
    ) -> Results:  # fmt: skip
        return _maxima(graph, self, dims, kernel_size, stride, padding, dilation, ceil_mode, with_places=False)[0]


_average_pools("avg_pool1d.default", "adaptive_avg_pool1d.default", 1)
for _dims in (2, 3):
    _average_pools(f"avg_pool{_dims}d.default", f"_adaptive_avg_pool{_dims}d.default", _dims)
    _max_pool(f"max_pool{_dims}d", _dims)
