"""Matrix products, convolutions, pooling. Halves stay halves in products: runtimes choose how they sum."""

from __future__ import annotations

import math
from typing import Any

from adapters.onnx.graph import Graph, Value, broadcast, carried, keeps
from adapters.onnx.ops import Results, function, wide
from adapters.onnx.pointwise import node
from adapters.onnx.promotion import Number, is_float, promote
from adapters.worker.system import UnsupportedError

# ---- matrix products


def product(graph: Graph, a: Value, b: Value) -> Value:
    """torch.matmul: as numpy's, and as ONNX's MatMul."""
    worked = "f32" if a.dtype == "bf16" else carried(a.dtype)
    dtype, a, b = a.dtype, graph.cast(a, worked), graph.cast(b, worked)
    left = a.shape if a.rank > 1 else (1, *a.shape)
    right = b.shape if b.rank > 1 else (*b.shape, 1)
    batch = broadcast(left[:-2], right[:-2])
    shape = [*batch, *([left[-2]] if a.rank > 1 else []), *([right[-1]] if b.rank > 1 else [])]
    return graph.cast(graph.op("MatMul", a, b, shape=shape), dtype)


@function("mm.default", "bmm.default", "mv.default")
def mm(graph: Graph, self: Value, mat2: Value) -> Results:
    return product(graph, self, mat2)


@function("matmul.default", "dot.default", "vdot.default")
def matmul(graph: Graph, self: Value, other: Value) -> Results:
    return product(graph, self, other)


@function("outer.default", "ger.default")
def outer(graph: Graph, self: Value, vec2: Value) -> Results:
    return node(graph, "Mul", graph.unsqueeze(self, 1), graph.unsqueeze(vec2, 0))


@function("linear.default")
def linear(graph: Graph, input: Value, weight: Value, bias: Value | None = None) -> Results:
    if input.rank == 2 and weight.rank == 2 and bias is not None and bias.rank == 1 and is_float(input.dtype):
        shape = (input.shape[0], weight.shape[0])
        return graph.op("Gemm", input, weight, bias, shape=shape, transB=1)
    turned = graph.transpose(weight, (1, 0)) if weight.rank == 2 else weight
    made = product(graph, input, turned)
    return made if bias is None else _sum(graph, bias, made, 1, 1)


def _sum(graph: Graph, self: Value, made: Value, beta: Number, alpha: Number) -> Value:
    """beta self + alpha made; with beta 0 self is not looked at, NaN or not."""
    worked = wide(carried(self.dtype))
    scaled = graph.cast(made, worked)
    if alpha != 1:
        scaled = graph.op("Mul", scaled, graph.number(alpha, worked))
    if beta == 0:
        return graph.cast(scaled, self.dtype)
    base = graph.cast(self, worked)
    if beta != 1:
        base = graph.op("Mul", base, graph.number(beta, worked))
    return graph.cast(graph.op("Add", base, scaled), self.dtype)


@function("addmm.default", in_place=True)
def addmm(graph: Graph, self: Value, mat1: Value, mat2: Value, beta: Number = 1, alpha: Number = 1) -> Results:
    if is_float(self.dtype) and beta != 0 and keeps(self.dtype, float(alpha), float(beta)):
        shape = (mat1.shape[0], mat2.shape[1])
        return graph.op("Gemm", mat1, mat2, self, shape=shape, alpha=float(alpha), beta=float(beta))
    return _sum(graph, self, product(graph, mat1, mat2), beta, alpha)


@function("addmv.default", in_place=True)
def addmv(graph: Graph, self: Value, mat: Value, vec: Value, beta: Number = 1, alpha: Number = 1) -> Results:
    return _sum(graph, self, product(graph, mat, vec), beta, alpha)


@function("baddbmm.default", in_place=True)
def baddbmm(graph: Graph, self: Value, batch1: Value, batch2: Value, beta: Number = 1, alpha: Number = 1) -> Results:
    return _sum(graph, self, product(graph, batch1, batch2), beta, alpha)


@function("addr.default", in_place=True)
def addr(graph: Graph, self: Value, vec1: Value, vec2: Value, beta: Number = 1, alpha: Number = 1) -> Results:
    dtype = promote(promote(self.dtype, vec1.dtype), vec2.dtype)  # self is expanded first, so a scalar counts
    worked = wide(carried(dtype))
    a, b = (graph.cast(x, worked) for x in (vec1, vec2))
    return _sum(
        graph, graph.cast(self, dtype), graph.op("Mul", graph.unsqueeze(a, 1), graph.unsqueeze(b, 0)), beta, alpha
    )


# ---- convolutions


def _each(numbers: int | list[int], count: int) -> list[int]:
    """One number a spatial dim."""
    listed = [numbers] if isinstance(numbers, int) else list(numbers)
    return listed * count if len(listed) == 1 else listed


def _convolve(
    graph: Graph,
    x: Value,
    weight: Value,
    bias: Value | None,
    stride: Any,
    padding: Any,
    dilation: Any,
    transposed: bool,
    output_padding: Any,
    groups: int,
) -> Value:
    if not is_float(x.dtype):
        raise UnsupportedError("ONNX convolves floats")
    dims = weight.rank - 2
    batched = x.rank == weight.rank
    x = x if batched else graph.unsqueeze(x, 0)
    stride, padding, dilation, extra = (_each(n, dims) for n in (stride, padding, dilation, output_padding))
    kernel = weight.shape[2:]
    attributes = {"strides": stride, "pads": padding * 2, "dilations": dilation, "group": groups}
    if transposed:
        if any(e >= s for e, s in zip(extra, stride, strict=True)):
            raise UnsupportedError("ONNX leaves open an output_padding that is below the dilation alone")
        channels = weight.shape[1] * groups
        reach = zip(x.shape[2:], stride, padding, dilation, kernel, extra, strict=True)
        spatial = [(n - 1) * s - 2 * p + d * (k - 1) + e + 1 for n, s, p, d, k, e in reach]
        attributes["output_padding"] = extra
    else:
        channels = weight.shape[0]
        reach = zip(x.shape[2:], stride, padding, dilation, kernel, strict=True)
        spatial = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, s, p, d, k in reach]
    kind = "ConvTranspose" if transposed else "Conv"
    made = graph.op(kind, x, weight, bias, shape=(x.shape[0], channels, *spatial), **attributes)
    return made if batched else graph.squeeze(made, [0])


@function("convolution.default")
def convolution(
    graph: Graph,
    input: Value,
    weight: Value,
    bias: Value | None,
    stride: list[int],
    padding: list[int],
    dilation: list[int],
    transposed: bool,
    output_padding: list[int],
    groups: int,
) -> Results:
    return _convolve(graph, input, weight, bias, stride, padding, dilation, transposed, output_padding, groups)


@function("conv1d.default", "conv2d.default", "conv3d.default")
def conv(
    graph: Graph,
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
) -> Results:
    return _convolve(graph, input, weight, bias, stride, padding, dilation, False, 0, groups)


@function("conv_transpose1d.default", "conv_transpose2d.input", "conv_transpose3d.input")
def conv_transpose(
    graph: Graph,
    input: Value,
    weight: Value,
    bias: Value | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: int = 1,
    dilation: Any = 1,
) -> Results:
    return _convolve(graph, input, weight, bias, stride, padding, dilation, True, output_padding, groups)


# ---- pooling


def _pooled_sizes(sizes: Any, kernel: Any, stride: Any, padding: Any, dilation: Any) -> list[int]:
    reach = zip(sizes, kernel, stride, padding, dilation, strict=True)
    return [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in reach]


def _pool_arguments(x: Value, dims: int, kernel: Any, stride: Any, padding: Any, dilation: Any) -> list[list[int]]:
    kernel = _each(kernel, dims)
    return [kernel, _each(stride, dims) if stride not in ([], None) else kernel,
            _each(padding, dims), _each(dilation, dims)]  # fmt: skip


def _batched(graph: Graph, x: Value, dims: int) -> Value:
    return x if x.rank == dims + 2 else graph.unsqueeze(x, 0)


def _average_pool(
    graph: Graph, x: Value, dims: int, kernel: Any, stride: Any, padding: Any, ceil: bool, include_pad: bool
) -> Value:
    if not is_float(x.dtype):
        raise UnsupportedError("ONNX averages floats")
    if ceil:
        raise UnsupportedError("the last window of a pool with ceil_mode counts differently in ONNX")
    kernel, stride, padding, dilation = _pool_arguments(x, dims, kernel, stride, padding, 1)
    four = _batched(graph, graph.cast(x, wide(x.dtype)), dims)
    shape = (*four.shape[:2], *_pooled_sizes(four.shape[2:], kernel, stride, padding, dilation))
    attributes = {"kernel_shape": kernel, "strides": stride, "pads": padding * 2}
    made = graph.op("AveragePool", four, shape=shape, count_include_pad=int(include_pad), **attributes)
    made = made if x.rank == dims + 2 else graph.squeeze(made, [0])
    return graph.cast(made, x.dtype)


def _register_average_pool(dims: int) -> None:
    @function(f"avg_pool{dims}d.default")
    def average_pool(
        graph: Graph, self: Value, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False,
        count_include_pad: bool = True, divisor_override: int | None = None,
    ) -> Results:  # fmt: skip
        if divisor_override is not None:
            raise UnsupportedError("ONNX's AveragePool divides by the window's size")
        return _average_pool(graph, self, dims, kernel_size, stride, padding, ceil_mode, count_include_pad)


for _dims in (1, 2, 3):
    _register_average_pool(_dims)


def _adaptive(graph: Graph, x: Value, dims: int, output_size: Any) -> Value:
    wanted = _each(output_size, dims)
    sizes = x.shape[-dims:]
    if any(out <= 0 or size % out for size, out in zip(sizes, wanted, strict=True)):
        raise UnsupportedError("ONNX has no pool whose windows differ in size")
    kernel = [size // out for size, out in zip(sizes, wanted, strict=True)]
    return _average_pool(graph, x, dims, kernel, kernel, 0, False, True)


@function("adaptive_avg_pool1d.default")
def adaptive_avg_pool1d(graph: Graph, self: Value, output_size: Any) -> Results:
    return _adaptive(graph, self, 1, output_size)


@function("_adaptive_avg_pool2d.default")
def adaptive_avg_pool2d(graph: Graph, self: Value, output_size: Any) -> Results:
    return _adaptive(graph, self, 2, output_size)


@function("_adaptive_avg_pool3d.default")
def adaptive_avg_pool3d(graph: Graph, self: Value, output_size: Any) -> Results:
    return _adaptive(graph, self, 3, output_size)


def _max_pool(graph: Graph, x: Value, dims: int, kernel: Any, stride: Any, padding: Any, dilation: Any) -> list[Value]:
    """Values and places. ONNX counts a place from the start of the tensor, ATen from that of its plane."""
    kernel, stride, padding, dilation = _pool_arguments(x, dims, kernel, stride, padding, dilation)
    four = _batched(graph, graph.cast(x, wide(x.dtype)), dims)
    shape = (*four.shape[:2], *_pooled_sizes(four.shape[2:], kernel, stride, padding, dilation))
    attributes = {"kernel_shape": kernel, "strides": stride, "pads": padding * 2, "dilations": dilation}
    values, places = graph.results("MaxPool", [four], [(four.dtype, shape), ("i64", shape)], **attributes)
    plane = math.prod(four.shape[2:])
    places = graph.op("Mod", places, graph.number(plane, "i64"))
    found = [graph.cast(values, x.dtype), places]
    return found if x.rank == dims + 2 else [graph.squeeze(one, [0]) for one in found]


@function("max_pool2d_with_indices.default")
def max_pool2d(
    graph: Graph, self: Value, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False,
) -> Results:  # fmt: skip
    return _checked_max_pool(graph, self, 2, kernel_size, stride, padding, dilation, ceil_mode)


@function("max_pool3d_with_indices.default")
def max_pool3d(
    graph: Graph, self: Value, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1,
    ceil_mode: bool = False,
) -> Results:  # fmt: skip
    return _checked_max_pool(graph, self, 3, kernel_size, stride, padding, dilation, ceil_mode)


def _checked_max_pool(
    graph: Graph, x: Value, dims: int, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil: bool
) -> Results:
    if ceil or not is_float(x.dtype):
        raise UnsupportedError("a max pool with ceil_mode, or of integers")
    return _max_pool(graph, x, dims, kernel, stride, padding, dilation)
