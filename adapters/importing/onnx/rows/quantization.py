"""Quantization by known scales as the calls that PyTorch has for it, the rest as arithmetic: a case's integers, and the
steps that the specification writes out."""

from __future__ import annotations

import numpy as np

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.rows.convolutions import convolved
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.types import element_dtype
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value
from adapters.worker.arrays import DTYPES


def _spread(b: Builder, one: Value, x: Value, axis: int, block: int) -> Value:
    """A scale or zero point along an axis, or a block of it each, against x."""
    if block:
        axis %= x.rank
        places = (np.arange(x.shape[axis]) // block).tolist()
        return b.index_select(one, axis, places)
    if one.numel == 1:
        return b.reshape(one, [])
    axis %= x.rank
    return b.reshape(one, [one.numel, *[1] * (x.rank - 1 - axis)])


def _saturated(b: Builder, x: Value, dtype: str) -> Value:
    info = np.iinfo(DTYPES[dtype])
    return b.cast(b.call("clamp.default", x, int(info.min), int(info.max)), dtype)


def _by_call(b: Builder, kind: str, x: Value, scale: Value, zero: Value | None, axis: int, dtype: str,
             gives: str) -> Value | None:  # fmt: skip
    """PyTorch's call, if the scales and zero points are known and the scales positive f32 ones."""
    if scale.array is None or scale.dtype != "f32" or (zero is not None and zero.array is None):
        return None
    if not (np.isfinite(scale.array) & (scale.array >= np.finfo(np.float32).tiny)).all():
        return None
    info = np.iinfo(DTYPES[dtype])
    limits = [int(info.min), int(info.max)]
    points = np.zeros(scale.shape, np.int64) if zero is None or zero.array is None else zero.array.astype(np.int64)
    if scale.numel == 1 and points.size == 1:
        numbers = [float(scale.array.reshape(())), int(points.reshape(()))]
        return b.call(f"quantized_decomposed.{kind}_per_tensor.default", x, *numbers, *limits, dtype, dtype=gives,
                      shape=x.shape)  # fmt: skip
    if scale.rank != 1 or points.shape != scale.array.shape or scale.numel != x.shape[axis % x.rank]:
        return None
    parameters = [scale, b.integers(points), axis % x.rank]
    return b.call(f"quantized_decomposed.{kind}_per_channel.default", x, *parameters, *limits, dtype, dtype=gives,
                  shape=x.shape)  # fmt: skip


@row("DequantizeLinear")
def dequantize(b: Builder, node: Node) -> Results:
    x, axis, block = node.x, node.integer("axis", 1), node.integer("block_size", 0)
    number = node.integer("output_dtype", 0)
    scale = node.operand(1)
    dtype = element_dtype(number) if number else scale.dtype
    zero = node.optional(2)
    # Eager rounds an i32 to an f32 before it takes the zero point off.
    exact = x.dtype in ("u8", "i8", "i16") or zero is None or (zero.array is not None and not zero.array.any())
    if dtype == "f32" and not block and exact:
        made = _by_call(b, "dequantize", x, scale, zero, axis, x.dtype, "f32")
        if made is not None:
            return made
    wide = b.cast(x, "i32")
    if zero is not None:
        wide = b.sub(wide, b.cast(_spread(b, zero, x, axis, block), "i32"))
    # An i32 and a half: the product is computed in f32 and rounded once.
    inner = "f32" if scale.dtype in ("f16", "bf16") else scale.dtype
    made = b.mul(b.cast(wide, inner), b.cast(_spread(b, scale, x, axis, block), inner))
    return b.cast(made, dtype)


@row("QuantizeLinear")
def quantize(b: Builder, node: Node) -> Results:
    x, axis, block = node.x, node.integer("axis", 1), node.integer("block_size", 0)
    node.only("saturate", 1, 0)  # of 8-bit floats, which are refused
    number, precision = node.integer("output_dtype", 0), node.integer("precision", 0)
    scale, zero = node.operand(1), node.optional(2)
    dtype = zero.dtype if zero is not None else element_dtype(number) if number else "u8"
    if dtype not in ("u8", "i8", "i16"):
        raise NoCounterpartError(f"elements of {dtype} that are quantized")
    inner = element_dtype(precision) if precision else scale.dtype
    if x.dtype == inner == "f32" and not block:
        found = _by_call(b, "quantize", x, scale, zero, axis, dtype, dtype)
        if found is not None:
            b.note("QuantizeLinear as PyTorch quantizes: a product with the reciprocal of the scale, not a quotient")
            return found
    quotient = b.div(b.cast(x, inner), b.cast(_spread(b, scale, x, axis, block), inner))
    made = b.unary("round", quotient)
    if zero is not None:
        made = b.add(made, b.cast(_spread(b, zero, x, axis, block), inner))
    return _saturated(b, made, dtype)


@row("DynamicQuantizeLinear")
def dynamic_quantize(b: Builder, node: Node) -> Results:
    x = node.x
    every = list(range(x.rank))
    high = b.call("clamp_min.default", b.reduce("amax.default", x, every, False), 0)
    low = b.call("clamp_max.default", b.reduce("amin.default", x, every, False), 0)
    scale = b.div(b.sub(high, low), 255)
    start = b.call("clamp.default", b.div(b.unary("neg", low), scale), 0, 255)
    zero = b.cast(b.unary("round", start), "u8")
    made = b.add(b.unary("round", b.div(x, scale)), b.cast(zero, x.dtype))
    return [_saturated(b, made, "u8"), scale, zero]


def _centred(b: Builder, x: Value, zero: Value | None, dtype: str, axis: int) -> Value:
    """x less its zero point."""
    wide = b.cast(x, dtype)
    if zero is None:
        return wide
    flat = [] if zero.numel == 1 else [zero.numel, *[1] * (x.rank - 1 - axis % x.rank)]
    return b.sub(wide, b.cast(b.reshape(zero, zero.shape if zero.rank == x.rank else flat), dtype))


@row("MatMulInteger")
def matmul_integer(b: Builder, node: Node) -> Results:
    x, y = node.x, node.operand(1)
    return b.matmul(
        _centred(b, x, node.optional(2), "i32", max(x.rank - 2, 0)), _centred(b, y, node.optional(3), "i32", -1)
    )


def _requantized(b: Builder, x: Value, factor: Value, scale: Value, zero: Value, dtype: str) -> Value:
    scaled = b.unary("round", b.div(b.mul(x, factor), scale))
    return _saturated(b, b.add(scaled, b.cast(zero, scaled.dtype)), dtype)


@row("QLinearMatMul")
def q_linear_matmul(b: Builder, node: Node) -> Results:
    a, a_scale, a_zero, c, c_scale, c_zero, scale, zero = (node.operand(i) for i in range(8))
    inner = "f32"
    if any(one.numel != 1 for one in (a_scale, c_scale, scale)):
        raise NoCounterpartError("scales per row or per column")
    product = b.matmul(_centred(b, a, a_zero, "i32", -2), _centred(b, c, c_zero, "i32", -1))
    scales = [b.cast(b.reshape(one, []), inner) for one in (a_scale, c_scale, scale)]
    return _requantized(b, b.cast(product, inner), b.mul(*scales[:2]), scales[2], b.reshape(zero, []), zero.dtype)


@row("ConvInteger")
def conv_integer(b: Builder, node: Node) -> Results:
    # Sums of products of bytes are exact in f64.
    x = _centred(b, node.x, node.optional(2), "f64", 1)
    return b.cast(convolved(b, node, x, _centred(b, node.operand(1), node.optional(3), "f64", 0), None), "i32")


@row("QLinearConv")
def q_linear_conv(b: Builder, node: Node) -> Results:
    x, x_scale, x_zero, w, w_scale, w_zero, scale, zero = (node.operand(i) for i in range(8))
    bias = node.optional(8)
    product = convolved(b, node, _centred(b, x, x_zero, "f64", 1), _centred(b, w, w_zero, "f64", 0),
                        None if bias is None else b.cast(bias, "f64"))  # fmt: skip
    wide = [w_scale.numel, *[1] * (x.rank - 2)] if w_scale.numel > 1 else []
    factor = b.mul(b.reshape(w_scale, wide), b.reshape(x_scale, []))
    return _requantized(b, b.cast(product, "f32"), factor, b.reshape(scale, []), b.reshape(zero, []), zero.dtype)
