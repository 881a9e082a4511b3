"""Convolutions. Halves stay halves: runtimes choose how they sum."""

from __future__ import annotations

from adapters.onnx.graph import Graph, Value
from adapters.onnx.ops import Results, function
from adapters.onnx.promotion import is_float
from adapters.onnx.windows import Spatial, batched, each, unbatched, windows_in
from adapters.worker.system import UnsupportedError


@function("convolution.default")
def convolution(
    graph: Graph, input: Value, weight: Value, bias: Value | None, stride: Spatial, padding: Spatial, dilation: Spatial,
    transposed: bool, output_padding: Spatial, groups: int,
) -> Results:  # fmt: skip
    if not is_float(input.dtype):
        raise UnsupportedError("ONNX convolves floats")
    dims, kernel = weight.rank - 2, weight.shape[2:]
    x = batched(graph, input, dims)
    stride, padding, dilation, extra = (each(n, dims) for n in (stride, padding, dilation, output_padding))
    attributes = {"strides": stride, "pads": padding * 2, "dilations": dilation, "group": groups}
    if transposed:
        if any(e >= s for e, s in zip(extra, stride, strict=True)):
            raise UnsupportedError("ONNX leaves open an output_padding that is below the dilation alone")
        kind, channels = "ConvTranspose", weight.shape[1] * groups
        reach = zip(x.shape[2:], stride, padding, dilation, kernel, extra, strict=True)
        spatial = [(n - 1) * s - 2 * p + d * (k - 1) + e + 1 for n, s, p, d, k, e in reach]
        attributes["output_padding"] = extra
    else:
        kind, channels = "Conv", weight.shape[0]
        spatial = windows_in(x.shape[2:], kernel, stride, padding, dilation)
    made = graph.op(kind, x, weight, bias, shape=(x.shape[0], channels, *spatial), **attributes)
    return unbatched(graph, made, input)


@function("conv1d.default", "conv2d.default", "conv3d.default")
def conv(
    graph: Graph, input: Value, weight: Value, bias: Value | None = None, stride: Spatial = 1, padding: Spatial = 0,
    dilation: Spatial = 1, groups: int = 1,
) -> Results:  # fmt: skip
    return convolution(graph, input, weight, bias, stride, padding, dilation, False, 0, groups)


@function("conv_transpose1d.default", "conv_transpose2d.input", "conv_transpose3d.input")
def conv_transpose(
    graph: Graph, input: Value, weight: Value, bias: Value | None = None, stride: Spatial = 1, padding: Spatial = 0,
    output_padding: Spatial = 0, groups: int = 1, dilation: Spatial = 1,
) -> Results:  # fmt: skip
    return convolution(graph, input, weight, bias, stride, padding, dilation, True, output_padding, groups)
