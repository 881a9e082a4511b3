"""Quantization: QuantizeLinear and DequantizeLinear where they mean what eager computes, else eager's own steps.

The operators have f32 scales, and zero points of the quantized dtype, which is u8 or i8 in the operator set that is
written (of DequantizeLinear also i32, without zero point). Eager's scales may be f64 and its zero points anything.
"""

from __future__ import annotations

import numpy as np

from adapters.onnx.graph import Graph, Value
from adapters.onnx.ops import Register, Results, function, operand, wide
from adapters.onnx.pointwise import node
from adapters.onnx.promotion import Number, promote
from adapters.worker.arrays import DTYPES
from adapters.worker.system import UnsupportedError

RANGES = {"u8": (0, 255), "i8": (-128, 127), "i16": (-(2**15), 2**15 - 1), "i32": (-(2**31), 2**31 - 1)}
OPERATORS_TAKE = ("u8", "i8")


def quantized(*names: str, pointwise: bool = False) -> Register:
    return function(*names, pointwise=pointwise, namespace="quantized_decomposed")


# ---- what the operators can be given


def _single(graph: Graph, scale: Value | Number) -> Value | None:
    """The scale as an f32, if it is one that is no subnormal: its reciprocal might be infinite."""
    known = graph.known(scale) if isinstance(scale, Value) else np.array(float(scale))
    if known is not None:
        with np.errstate(over="ignore", under="ignore"):
            single = known.astype(np.float32)
        normal = np.isfinite(single) & (single >= np.finfo(np.float32).tiny)
        same = not isinstance(scale, Value) or (single == known).all()
        return graph.constant(single, "f32") if same and normal.all() else None
    assert isinstance(scale, Value)
    return graph.singles.get(scale.name) if scale.dtype == "f64" else graph.cast(scale, "f32")


def _whole(graph: Graph, zero_point: Value | Number, dtype: str) -> Value | None:
    """The zero point in the dtype, if it is surely in its range."""
    low, high = RANGES[dtype]
    known = graph.known(zero_point) if isinstance(zero_point, Value) else np.array(zero_point)
    if known is not None:
        inside = ((known >= low) & (known <= high) & (known == np.rint(known))).all()
        return graph.constant(known.astype(DTYPES[dtype]), dtype) if inside else None
    assert isinstance(zero_point, Value)
    least, most = graph.ranges.get(zero_point.name, (low - 1, high + 1))
    return graph.cast(zero_point, dtype) if least >= low and most <= high else None


def _linear(graph: Graph, kind: str, x: Value, scale: Value, zero_point: Value | None, dtype: str, axis: int) -> Value:
    """QuantizeLinear or DequantizeLinear; parameters of one element are those of the whole tensor."""
    if scale.numel == 1:
        scale = graph.reshape(scale, ())
        zero_point = zero_point and graph.reshape(zero_point, ())
        return graph.op(kind, x, scale, zero_point, dtype=dtype, shape=x.shape)
    return graph.op(kind, x, scale, zero_point, dtype=dtype, shape=x.shape, axis=axis)


def _limited(graph: Graph, x: Value, low: Value | Number, high: Value | Number) -> Value:
    bounds = [operand(graph, graph.reshape(one, ()) if isinstance(one, Value) else one, x.dtype) for one in (low, high)]
    return graph.op("Clip", x, *bounds, shape=x.shape)


def _along(graph: Graph, x: Value, parameter: Value, axis: int) -> Value:
    """A parameter for each channel, to broadcast over x."""
    return graph.reshape(parameter, (parameter.numel, *(1 for _ in range(x.rank - 1 - axis))))


# ---- quantize


def _by_operator(
    graph: Graph,
    x: Value,
    scale: Value | Number,
    zero_point: Value | Number,
    low: Value | Number,
    high: Value | Number,
    dtype: str,
    axis: int,
) -> Value | None:
    """With QuantizeLinear, if it can be."""
    if dtype not in OPERATORS_TAKE or isinstance(low, Value) or isinstance(high, Value):
        return None
    single, whole = _single(graph, scale), _whole(graph, zero_point, dtype)
    if single is None or whole is None or whole.numel != single.numel:
        return None
    made = _linear(graph, "QuantizeLinear", x, single, whole, dtype, axis)
    return made if (low, high) == RANGES[dtype] else _limited(graph, made, low, high)


def _quantize(
    graph: Graph,
    input: Value,
    scale: Value | Number,
    zero_point: Value | Number,
    low: Value | Number,
    high: Value | Number,
    dtype: str,
) -> Value:
    """With one scale, whose reciprocal is Python's."""
    x = graph.cast(input, "f32")
    made = _by_operator(graph, x, scale, zero_point, low, high, dtype, 0)
    if made is not None:
        return made
    if isinstance(scale, Value):
        plain = graph.reshape(scale, ())
        worked = "f64" if scale.dtype == "f64" else "f32"
        inverse: Value | Number = graph.cast(node(graph, "Div", 1.0, graph.cast(plain, worked)), "f32")
    else:
        with np.errstate(over="ignore"):
            inverse = float(np.float32(1.0 / scale))
    offset = graph.reshape(zero_point, ()) if isinstance(zero_point, Value) else zero_point
    scaled = graph.op("Mul", x, operand(graph, inverse, "f32"), shape=x.shape)
    moved = graph.op("Add", graph.op("Round", scaled), operand(graph, offset, "f32"), shape=x.shape)
    return graph.cast(_limited(graph, moved, low, high), dtype)


@quantized("quantize_per_tensor.default", pointwise=True)
def quantize_per_tensor(
    graph: Graph, input: Value, scale: float, zero_point: int, quant_min: int, quant_max: int, dtype: str
) -> Results:
    return _quantize(graph, input, scale, zero_point, quant_min, quant_max, dtype)


@quantized("quantize_per_tensor.tensor", "quantize_per_tensor.tensor2")
def quantize_per_tensor_tensor(
    graph: Graph,
    input: Value,
    scale: Value,
    zero_point: Value,
    quant_min: Value | int,
    quant_max: Value | int,
    dtype: str,
) -> Results:
    return _quantize(graph, input, scale, zero_point, quant_min, quant_max, dtype)


@quantized("quantize_per_channel.default")
def quantize_per_channel(
    graph: Graph,
    input: Value,
    scales: Value,
    zero_points: Value,
    axis: int,
    quant_min: int,
    quant_max: int,
    dtype: str,
) -> Results:
    x = graph.cast(input, "f32")
    at = axis % x.rank
    made = _by_operator(graph, x, scales, zero_points, quant_min, quant_max, dtype, at)
    if made is not None:
        return made
    inverse = node(graph, "Div", 1.0, _along(graph, x, scales, at))
    rounded = node(graph, "Round", node(graph, "Mul", x, inverse))
    moved = node(graph, "Add", rounded, _along(graph, x, zero_points, at))
    return graph.cast(_limited(graph, moved, quant_min, quant_max), dtype)


def _adding_first(graph: Graph, x: Value, scales: Value, zero_points: Value, low: int, high: int, dtype: str) -> Value:
    """With scales that broadcast. The zero point is added before the sum is rounded."""
    product = node(graph, "Mul", x, node(graph, "Div", 1.0, scales))
    moved = node(graph, "Add", product, zero_points)
    rounded = node(graph, "Round", moved)
    limited = _limited(graph, graph.cast(rounded, wide(rounded.dtype)), low, high)
    return graph.cast(limited, dtype)


@quantized("quantize_per_token.default")
def quantize_per_token(
    graph: Graph, input: Value, scales: Value, zero_points: Value, quant_min: int, quant_max: int, dtype: str
) -> Results:
    return _adding_first(graph, input, scales, zero_points, quant_min, quant_max, dtype)


def _grouped(graph: Graph, x: Value, scales: Value, group_size: int) -> Value:
    width = x.shape[-1]
    if group_size > width and scales.shape[-1:] == (1,):
        group_size = width
    return graph.reshape(x, (x.numel // group_size, group_size))


def _column(graph: Graph, parameter: Value) -> Value:
    return graph.reshape(parameter, (parameter.numel, 1))


@quantized("quantize_per_channel_group.default")
def quantize_per_channel_group(
    graph: Graph,
    input: Value,
    scales: Value,
    zero_points: Value,
    quant_min: int,
    quant_max: int,
    dtype: str,
    group_size: int = 128,
) -> Results:
    rows = _grouped(graph, input, scales, group_size)
    parameters = [_column(graph, one) for one in (scales, zero_points)]
    made = _adding_first(graph, rows, *parameters, quant_min, quant_max, dtype)
    return graph.reshape(made, input.shape)


# ---- dequantize


def _dequantize_by_operator(
    graph: Graph, x: Value, scale: Value | Number, zero_point: Value | Number | None, axis: int
) -> Value | None:
    """With DequantizeLinear, if it can be."""
    single = _single(graph, scale)
    if single is None or x.dtype not in (*OPERATORS_TAKE, "i32"):
        return None
    whole = None if zero_point is None else _whole(graph, zero_point, x.dtype)
    if zero_point is not None and (whole is None or whole.numel != single.numel):
        return None
    if x.dtype == "i32" and whole is not None:
        known = graph.known(whole)
        if known is None or known.any():
            return None
        whole = None
    return _linear(graph, "DequantizeLinear", x, single, whole, "f32", axis)


@quantized("dequantize_per_tensor.default", pointwise=True)
def dequantize_per_tensor(
    graph: Graph,
    input: Value,
    scale: float,
    zero_point: int,
    quant_min: int,
    quant_max: int,
    dtype: str,
    out_dtype: str | None = None,
) -> Results:
    return _dequantize(graph, input, scale, zero_point, out_dtype or "f32")


@quantized("dequantize_per_tensor.tensor", "dequantize_per_tensor.tensor2")
def dequantize_per_tensor_tensor(
    graph: Graph,
    input: Value,
    scale: Value,
    zero_point: Value,
    quant_min: Value | int,
    quant_max: Value | int,
    dtype: str,
    out_dtype: str | None = None,
) -> Results:
    return _dequantize(graph, input, scale, zero_point, out_dtype or "f32")


def _dequantize(graph: Graph, input: Value, scale: Value | Number, zero_point: Value | Number, dtype: str) -> Value:
    made = _dequantize_by_operator(graph, input, scale, zero_point, 0) if dtype == "f32" else None
    if made is not None:
        return made
    # Eager's numbers are Python's, so that the steps are of the result's dtype.
    worked = wide(dtype)
    offset, factor = (graph.reshape(one, ()) if isinstance(one, Value) else one for one in (zero_point, scale))
    x = graph.cast(graph.cast(input, dtype), worked)
    moved = graph.op("Sub", x, operand(graph, offset, worked), shape=x.shape)
    moved = graph.cast(graph.cast(moved, dtype), worked)
    return graph.cast(graph.op("Mul", moved, operand(graph, factor, worked), shape=x.shape), dtype)


@quantized("dequantize_per_channel.default")
def dequantize_per_channel(
    graph: Graph,
    input: Value,
    scales: Value,
    zero_points: Value | None,
    axis: int,
    quant_min: int,
    quant_max: int,
    dtype: str,
    out_dtype: str | None = None,
) -> Results:
    at = axis % input.rank
    # Without zero points eager multiplies the integers.
    single = promote(input.dtype, scales.dtype) in ("f32", "f64")
    made = _dequantize_by_operator(graph, input, scales, zero_points, at) if single else None
    if made is None:
        offset = None if zero_points is None else _along(graph, input, zero_points, at)
        made = _broadcast(graph, input, _along(graph, input, scales, at), offset)
    return graph.cast(made, out_dtype or "f32")


def _broadcast(graph: Graph, x: Value, scales: Value, zero_points: Value | None) -> Value:
    difference = x if zero_points is None else node(graph, "Sub", x, zero_points)
    return node(graph, "Mul", difference, scales)


@quantized("dequantize_per_token.default")
def dequantize_per_token(
    graph: Graph,
    input: Value,
    scales: Value,
    zero_points: Value,
    quant_min: int,
    quant_max: int,
    dtype: str,
    output_dtype: str = "f32",
) -> Results:
    return graph.cast(_broadcast(graph, input, scales, zero_points), output_dtype)


@quantized("dequantize_per_channel_group.default")
def dequantize_per_channel_group(
    graph: Graph,
    input: Value,
    scales: Value,
    zero_points: Value | None,
    quant_min: int,
    quant_max: int,
    dtype: str,
    group_size: int = 128,
    output_dtype: str = "f32",
) -> Results:
    rows = _grouped(graph, input, scales, group_size)
    offsets = None if zero_points is None else _column(graph, zero_points)
    made = _broadcast(graph, rows, _column(graph, scales), offsets)
    return graph.reshape(graph.cast(made, output_dtype), input.shape)


@quantized("convert_element_type.no_fuse")
def convert_element_type(graph: Graph, input: Value, dtype: str) -> Results:
    return graph.identity(input) if input.dtype == dtype else graph.cast(input, dtype)


# ---- the choice of scale and zero point


def _ends(graph: Graph, x: Value, dims: list[int]) -> tuple[Value, Value]:
    """The least and the largest number, and 0 with them."""
    if x.numel == 0:
        raise UnsupportedError("a choice of scale without elements")
    if wide(x.dtype) != x.dtype:
        raise UnsupportedError("a choice of scale in halves, whose steps runtimes do not all round")
    zero = graph.number(0, x.dtype)
    ends = []
    for reduction, kind in (("ReduceMin", "Min"), ("ReduceMax", "Max")):
        found = graph.reduce(reduction, x, dims, keepdim=True)
        ends.append(graph.op(kind, found, zero, shape=found.shape))
    return ends[0], ends[1]


def _chosen(graph: Graph, scale: Value, zero_point: Value, low: int, high: int) -> Results:
    """As f64 and i64, which the quantization that reads them may undo."""
    results = [graph.cast(scale, "f64"), graph.cast(zero_point, "i64")]
    if scale.dtype == "f32":
        graph.singles[results[0].name] = scale
    graph.ranges[results[1].name] = (low, high)
    return results


def _ends_of_all(graph: Graph, x: Value) -> tuple[Value, Value]:
    least, most = _ends(graph, x, list(range(x.rank)))
    return graph.reshape(least, (1,)), graph.reshape(most, (1,))


@quantized("choose_qparams.tensor")
def choose_qparams(graph: Graph, input: Value, quant_min: int, quant_max: int, eps: float, dtype: str) -> Results:
    least, most = _ends_of_all(graph, input)
    scale = node(graph, "Div", node(graph, "Sub", most, least), float(quant_max - quant_min))
    scale = graph.op("Max", graph.cast(scale, "f32"), graph.number(eps, "f32"), shape=(1,))
    offset = graph.op("Round", graph.op("Div", graph.cast(least, "f32"), scale))
    zero_point = graph.op("Sub", graph.integers([quant_min]), graph.cast(offset, "i64"))
    return _chosen(graph, scale, _limited(graph, zero_point, quant_min, quant_max), quant_min, quant_max)


@quantized("choose_qparams_symmetric.tensor")
def choose_qparams_symmetric(
    graph: Graph, input: Value, quant_min: int, quant_max: int, eps: float, dtype: str
) -> Results:
    least, most = _ends_of_all(graph, input)
    most = node(graph, "Max", node(graph, "Neg", least), most)
    scale = node(graph, "Div", most, (quant_max - quant_min) / 2)
    scale = graph.op("Max", graph.cast(scale, "f32"), graph.number(eps, "f32"), shape=(1,))
    middle = 128 if dtype == "u8" else 0
    return _chosen(graph, scale, graph.identity(graph.integers([middle])), middle, middle)


@quantized("choose_qparams_per_token.default")
def choose_qparams_per_token(graph: Graph, input: Value, dtype: str) -> Results:
    worked = "f32" if input.dtype == "f16" else input.dtype
    least, most = _ends(graph, input, [input.rank - 1] if input.rank else [])
    largest = graph.cast(node(graph, "Max", node(graph, "Neg", least), most), worked)
    scale = node(graph, "Div", node(graph, "Max", largest, 1e-5), 127.0)
    return [scale, graph.expand(graph.number(0, worked), scale.shape)]


@quantized("choose_qparams_per_token_asymmetric.default", "_choose_qparams_per_token_asymmetric_impl.default")
def choose_qparams_per_token_asymmetric(graph: Graph, input: Value, dtype: str) -> Results:
    """As XNNPACK has it: the zero point by the end whose error is the smaller."""
    low, high = RANGES["i8"]
    least, most = _ends(graph, input, [input.rank - 1] if input.rank else [])
    scale = node(graph, "Max", node(graph, "Div", node(graph, "Sub", most, least), 255.0), 2.0**-23)
    least, most = node(graph, "Div", least, scale), node(graph, "Div", most, scale)
    error = node(graph, "Add", node(graph, "Add", least, low), node(graph, "Add", most, high))
    positive = graph.op("Greater", graph.cast(error, wide(error.dtype)), graph.number(0, wide(error.dtype)),
                        dtype="bool", shape=error.shape)  # fmt: skip
    zero_point = graph.where(positive, node(graph, "Sub", low, least), node(graph, "Sub", high, most))
    limited = _limited(graph, graph.cast(zero_point, wide(zero_point.dtype)), low, high)
    return _chosen(graph, scale, graph.op("Round", limited), low, high)
