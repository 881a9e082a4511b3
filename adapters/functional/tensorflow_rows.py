"""The operators in TensorFlow's functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorflow as tf

from adapters.functional import movement_rows, pointwise_rows, reduction_rows, window_rows
from adapters.functional.calls import Call, Library, Table, Tensor, into
from adapters.worker.arrays import DTYPES
from adapters.worker.system import UnsupportedError

TABLE: Table = {**pointwise_rows.ROWS, **movement_rows.ROWS, **reduction_rows.ROWS, **window_rows.ROWS}
row = into(TABLE)


class Names:
    """TensorFlow's functions by the names that numpy has for them."""

    abs, negative, sign, ceil, floor, round = tf.abs, tf.negative, tf.sign, tf.math.ceil, tf.floor, tf.round
    exp, log, sqrt, rsqrt = tf.exp, tf.math.log, tf.sqrt, tf.math.rsqrt
    sin, cos, tan, arcsin, arccos, arctan = tf.sin, tf.cos, tf.tan, tf.asin, tf.acos, tf.atan
    sinh, cosh, tanh, arcsinh, arccosh, arctanh = tf.sinh, tf.cosh, tf.tanh, tf.asinh, tf.acosh, tf.atanh
    add, subtract, multiply, divide, power = tf.add, tf.subtract, tf.multiply, tf.realdiv, tf.pow
    maximum, minimum = tf.maximum, tf.minimum
    logical_and, logical_or, logical_not = tf.logical_and, tf.logical_or, tf.logical_not
    bitwise_and, bitwise_or, bitwise_xor = tf.bitwise.bitwise_and, tf.bitwise.bitwise_or, tf.bitwise.bitwise_xor
    equal, not_equal, less, greater = tf.equal, tf.not_equal, tf.less, tf.greater
    less_equal, greater_equal, isnan, where = tf.less_equal, tf.greater_equal, tf.math.is_nan, tf.where
    reshape, broadcast_to, concatenate, tile, take = tf.reshape, tf.broadcast_to, tf.concat, tf.tile, tf.gather
    sum, mean, prod, max, min = tf.reduce_sum, tf.reduce_mean, tf.reduce_prod, tf.reduce_max, tf.reduce_min
    logsumexp, softmax, log_softmax = tf.reduce_logsumexp, tf.nn.softmax, tf.nn.log_softmax
    argmax, argmin, cumsum = tf.argmax, tf.argmin, tf.cumsum

    @staticmethod
    def reciprocal(x: Tensor) -> Tensor:
        """As a quotient, which rounds once: tf.math.reciprocal is Eigen's, of which 1 or 2 units are documented."""
        return tf.realdiv(tf.ones_like(x), x)

    @staticmethod
    def clip(x: Tensor, low: Tensor, high: Tensor) -> Tensor:
        """Not tf.clip_by_value, which leaves open what bounds mean that are the wrong way round."""
        return tf.minimum(tf.maximum(x, low), high)

    @staticmethod
    def transpose(x: Tensor, order: list[int]) -> Tensor:
        return tf.transpose(x, perm=order)

    @staticmethod
    def pad(x: Tensor, width: list[tuple[int, int]], constant_values: Any) -> Tensor:
        return tf.pad(x, width, constant_values=constant_values)

    @staticmethod
    def zeros(shape: tuple[int, ...], dtype: str) -> Tensor:
        return tf.zeros(shape, DTYPES[dtype])

    @staticmethod
    def matmul(a: Tensor, b: Tensor) -> Tensor:
        """Of vectors too, which TensorFlow's product is not of."""
        left, right = (a[None, :] if len(a.shape) == 1 else a), (b[:, None] if len(b.shape) == 1 else b)
        made = tf.matmul(left, right)
        made = tf.squeeze(made, -1) if len(b.shape) == 1 else made
        return tf.squeeze(made, -1 if len(b.shape) == 1 else -2) if len(a.shape) == 1 else made

    @staticmethod
    def take_along_axis(x: Tensor, places: Tensor, axis: int) -> Tensor:
        return tf.experimental.numpy.take_along_axis(x, places, axis)

    @staticmethod
    def stable_order(x: Tensor, axis: int, descending: bool) -> Tensor:
        return tf.argsort(x, axis=axis, direction="DESCENDING" if descending else "ASCENDING", stable=True)

    @staticmethod
    def scatter(x: Tensor, places: Tensor, updates: Tensor, reduction: str) -> Tensor:
        functions = {
            "none": tf.tensor_scatter_nd_update, "add": tf.tensor_scatter_nd_add,
            "max": tf.tensor_scatter_nd_max, "min": tf.tensor_scatter_nd_min,
        }  # fmt: skip
        if reduction not in functions:
            raise UnsupportedError(f"TensorFlow scatters no {reduction}")
        return functions[reduction](x, places[:, None], updates)

    @staticmethod
    def _triangle(x: Tensor, diagonal: int, upper: bool) -> Tensor:
        rows, columns = (int(size) for size in x.shape[-2:])
        mask = (np.triu if upper else np.tril)(np.ones((rows, columns), dtype=bool), diagonal)
        return tf.where(tf.constant(mask), x, tf.zeros((), x.dtype))

    @staticmethod
    def triu(x: Tensor, diagonal: int) -> Tensor:
        return Names._triangle(x, diagonal, True)

    @staticmethod
    def tril(x: Tensor, diagonal: int) -> Tensor:
        return Names._triangle(x, diagonal, False)


LIBRARY = Library(Names, tf.constant, lambda x, dtype: tf.cast(x, DTYPES[dtype]))

DIRECT = {
    "Expm1": tf.math.expm1, "Log1p": tf.math.log1p, "Rsqrt": tf.math.rsqrt, "Erfc": tf.math.erfc,
    "Lgamma": tf.math.lgamma, "I0e": tf.math.bessel_i0e, "I1e": tf.math.bessel_i1e,
    "Silu": tf.nn.silu, "Atan2": tf.math.atan2, "Nextafter": tf.math.nextafter,
    "Erf": tf.math.erf, "Sigmoid": tf.sigmoid, "Softplus": tf.math.softplus, "Selu": tf.nn.selu,
    "BitwiseNot": tf.bitwise.invert, "Relu": tf.nn.relu,
}  # fmt: skip
# No erfinv: TensorFlow's cancels next to 0 by design, as the quantile of (x + 1) / 2.
TABLE |= {kind: lambda call, function=function: function(*call.operands) for kind, function in DIRECT.items()}
TABLE |= {
    "CumProd": reduction_rows.scan(tf.math.cumprod),
    "LogCumSumExp": reduction_rows.scan(tf.math.cumulative_logsumexp),
}


@row("Div")
def divide(call: Call) -> Tensor:
    """Of integers it truncates."""
    return (tf.realdiv if call.dtype.startswith(("f", "bf")) else tf.truncatediv)(*call.operands)


@row("Mod")
def remainder(call: Call) -> Tensor:
    return (tf.truncatemod if call.get("fmod") else tf.math.floormod)(*call.operands)


@row("Elu")
def elu(call: Call) -> Tensor:
    alpha = call.get("alpha")
    made = tf.nn.elu(call.x)
    return made if alpha == 1 else tf.where(call.x > call.number(0), made, made * call.number(alpha))


@row("Celu")
def celu(call: Call) -> Tensor:
    alpha = call.number(call.get("alpha"))
    return tf.where(call.x > call.number(0), call.x, alpha * tf.math.expm1(call.x / alpha))


@row("Mish")
def mish(call: Call) -> Tensor:
    return call.x * tf.tanh(tf.math.softplus(call.x))


@row("Gelu")
def gelu(call: Call) -> Tensor:
    return tf.nn.gelu(call.x, approximate=call.attributes["approximate"] == "tanh")


@row("LeakyRelu")
def leaky_relu(call: Call) -> Tensor:
    return tf.nn.leaky_relu(call.x, call.get("alpha"))


# ---- windows: TensorFlow's kernels on the CPU have the channels last


def channels_last(x: Tensor) -> Tensor:
    rank = len(x.shape)
    return tf.transpose(x, (0, *range(2, rank), 1))


def channels_second(x: Tensor) -> Tensor:
    rank = len(x.shape)
    return tf.transpose(x, (0, rank - 1, *range(1, rank - 1)))


def _padded(call: Call) -> Tensor:
    pads = call.attributes["pads"]
    dims = len(pads) // 2
    return tf.pad(call.x, [(0, 0), (0, 0), *zip(pads[:dims], pads[dims:], strict=True)])


@row("Conv")
def convolution(call: Call) -> Tensor:
    dims = call.rank - 2
    if 0 in call.shape or 0 in call.shapes[0]:
        raise UnsupportedError("a convolution without elements")
    strides, dilations = call.attributes["strides"], call.attributes["dilations"]
    if max(strides) > 1 and max(dilations) > 1:
        raise UnsupportedError("tf.nn.convolution has strides or dilations, not both")
    weight = tf.transpose(call.operands[1], (*range(2, 2 + dims), 1, 0))
    x, padding = (call.x, "SAME") if window_rows.pads_as_same(call, call.shapes[1][2:]) else (_padded(call), "VALID")
    made = tf.nn.convolution(channels_last(x), weight, strides=strides, padding=padding, dilations=dilations)
    made = channels_second(made)
    return made + tf.reshape(call.operands[2], (-1, *(1 for _ in range(dims)))) if call.has(2) else made


@row("AveragePool")
def average_pool(call: Call) -> Tensor:
    kernel, pads = call.attributes["kernel_shape"], call.attributes["pads"]
    if any(pads) or 0 in call.shape:
        return window_rows.average_pool(call)
    pools = {1: tf.nn.avg_pool1d, 2: tf.nn.avg_pool2d, 3: tf.nn.avg_pool3d}
    return channels_second(pools[len(kernel)](channels_last(call.x), kernel, call.attributes["strides"], "VALID"))


@row("MaxPool")
def max_pool(call: Call) -> list[Tensor]:
    kernel, pads, dilations = (call.attributes[name] for name in ("kernel_shape", "pads", "dilations"))
    padding = "SAME" if window_rows.pads_as_same(call, kernel) else "VALID"
    if (padding == "VALID" and any(pads)) or max(dilations) > 1 or 0 in call.shape:
        return window_rows.max_pool(call)
    pools = {1: tf.nn.max_pool1d, 2: tf.nn.max_pool2d, 3: tf.nn.max_pool3d}
    made = channels_second(pools[len(kernel)](channels_last(call.x), kernel, call.attributes["strides"], padding))
    return window_rows.with_places(call, made)
