"""The operators in MLX's functions, and in those of mlx.nn and mx.fast."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import mlx.nn as nn
import numpy as np

from adapters.functional import movement_rows, pointwise_rows, reduction_rows, window_rows
from adapters.functional.calls import Call, Library, Table, Tensor, into
from adapters.worker.arrays import DTYPES, NAMES, Array
from adapters.worker.system import UnsupportedError

TABLE: Table = {**pointwise_rows.ROWS, **movement_rows.ROWS, **reduction_rows.ROWS, **window_rows.ROWS}
row = into(TABLE)

MLX_DTYPES: dict[str, Any] = {
    "bool": mx.bool_, "u8": mx.uint8, "i8": mx.int8, "i16": mx.int16, "i32": mx.int32, "i64": mx.int64,
    "f16": mx.float16, "bf16": mx.bfloat16, "f32": mx.float32, "f64": mx.float64,
}  # fmt: skip


def array_of(array: Array) -> Tensor:
    return mx.array(np.ascontiguousarray(array), dtype=MLX_DTYPES[NAMES[array.dtype]]).reshape(array.shape)


def numbers_of(tensor: Tensor, dtype: str) -> Array:
    """Read where they lie. numpy has no bf16 of its own, so that its bits cross."""
    data = tensor.view(mx.uint16) if tensor.dtype == mx.bfloat16 else tensor
    array = np.array(data, copy=False)
    return array.view(DTYPES["bf16"]) if tensor.dtype == mx.bfloat16 and dtype == "bf16" else array


class Names:
    """mlx.core, and what it has under other names."""

    def __getattr__(self, name: str) -> Any:
        return getattr(mx, name)

    @staticmethod
    def zeros(shape: tuple[int, ...], dtype: str) -> Tensor:
        return mx.zeros(shape, MLX_DTYPES[dtype])

    @staticmethod
    def pad(x: Tensor, width: list[tuple[int, int]], constant_values: Any) -> Tensor:
        return mx.pad(x, width, constant_values=constant_values) if width else x

    @staticmethod
    def log_softmax(x: Tensor, axis: int) -> Tensor:
        return nn.log_softmax(x, axis=axis)

    @staticmethod
    def stable_order(x: Tensor, axis: int, descending: bool) -> Tensor:
        """MLX sorts upward: a descending order is that of the reversed line, reversed."""
        if not descending:
            return mx.argsort(x, axis=axis)
        back = tuple(slice(None, None, -1) if dim == axis else slice(None) for dim in range(x.ndim))
        last = mx.array(x.shape[axis] - 1, dtype=mx.uint32)
        return last - mx.argsort(x[back], axis=axis)[back]

    @staticmethod
    def scatter(x: Tensor, places: Tensor, updates: Tensor, reduction: str) -> Tensor:
        if reduction == "none":
            made = mx.array(x)
            made[places] = updates
            return made
        at = x.at[places]
        return {"add": at.add, "mul": at.multiply, "max": at.maximum, "min": at.minimum}[reduction](updates)


LIBRARY = Library(Names(), array_of, lambda x, dtype: x.astype(MLX_DTYPES[dtype]))

DIRECT = {
    "Expm1": mx.expm1, "Log1p": mx.log1p, "Log2": mx.log2, "Log10": mx.log10, "Rsqrt": mx.rsqrt, "Erf": mx.erf,
    "Erfinv": mx.erfinv, "Sigmoid": mx.sigmoid, "Softplus": nn.softplus, "Mish": nn.mish,
    "Silu": nn.silu, "Atan2": mx.arctan2, "LogAddExp": mx.logaddexp,
    "BitwiseNot": mx.bitwise_invert, "Relu": nn.relu, "Remainder": mx.remainder,
}  # fmt: skip
for _kind in ("Trunc", "Median"):  # older releases have neither
    if hasattr(mx, _kind.lower()):
        DIRECT[_kind] = getattr(mx, _kind.lower())
TABLE |= {kind: lambda call, function=function: function(*call.operands) for kind, function in DIRECT.items()}
TABLE |= {
    "CumProd": reduction_rows.scan(mx.cumprod), "CumMax": reduction_rows.scan(mx.cummax),
    "CumMin": reduction_rows.scan(mx.cummin), "LogCumSumExp": reduction_rows.scan(mx.logcumsumexp),
}  # fmt: skip
TABLE |= {"Any": reduction_rows.truth, "All": reduction_rows.truth, "SumOfShort": reduction_rows.sum_of_short}


@row("ReduceL2")
def norm(call: Call) -> Tensor:
    """Over some of several dims MLX's is a matrix norm."""
    dims, keeps = reduction_rows.reduced_dims(call), bool(call.get("keepdims"))
    if dims and len(dims) == call.rank:
        return mx.linalg.norm(call.x, keepdims=keeps)
    if len(dims) == 1:
        return mx.linalg.norm(call.x, axis=dims[0], keepdims=keeps)
    return reduction_rows.root_of_squares(call)


@row("NanToNum")
def numbers_for_the_rest(call: Call) -> Tensor:
    return mx.nan_to_num(call.x, call.get("nan") or 0.0, call.get("posinf"), call.get("neginf"))


@row("Div")
def divide(call: Call) -> Tensor:
    """Of integers it truncates, where MLX's rounds down."""
    a, b = call.operands
    if call.dtype.startswith(("f", "bf")):
        return mx.divide(a, b)
    quotient, rest = mx.floor_divide(a, b), mx.remainder(a, b)
    signs_differ = mx.not_equal(mx.less(a, call.number(0)), mx.less(b, call.number(0)))
    up = mx.logical_and(mx.not_equal(rest, call.number(0)), signs_differ)
    return mx.add(quotient, up.astype(quotient.dtype))


@row("Mod")
def remainder(call: Call) -> Tensor:
    """MLX's has the sign of the divisor."""
    a, b = call.operands
    made = mx.remainder(a, b)
    if not call.get("fmod"):
        return made
    if call.dtype.startswith(("f", "bf")):
        raise UnsupportedError("MLX has no remainder of floats with the sign of the dividend")
    signs_differ = mx.not_equal(mx.less(a, call.number(0)), mx.less(b, call.number(0)))
    over = mx.logical_and(mx.not_equal(made, call.number(0)), signs_differ)
    return mx.where(over, mx.subtract(made, b), made)


BY_DIVMOD = {  # by the option of that name
    "FloorDivide": lambda call: mx.divmod(*call.operands)[0],
    "Remainder": lambda call: mx.divmod(*call.operands)[1],
}


@row("Elu", "Celu")
def elu(call: Call) -> Tensor:
    """By expm1: nn.elu and nn.celu are documented as exp(x) - 1, which cancels next to 0."""
    alpha = call.number(call.get("alpha"))
    return _elu(call, alpha, mx.divide(call.x, alpha) if call.kind == "Celu" else call.x)


@row("Selu")
def selu(call: Call) -> Tensor:
    """nn.selu is documented with constants of five and six digits, 1.0507 and 1.67326."""
    return mx.multiply(call.number(1.0507009873554805), _elu(call, call.number(1.6732632423543772), call.x))


def _elu(call: Call, alpha: Tensor, x: Tensor) -> Tensor:
    return mx.where(mx.greater(call.x, call.number(0)), call.x, mx.multiply(alpha, mx.expm1(x)))


@row("Gelu")
def gelu(call: Call) -> Tensor:
    return (nn.gelu_approx if call.attributes["approximate"] == "tanh" else nn.gelu)(call.x)


@row("LayerNormalization")
def layer_norm(call: Call) -> list[Tensor]:
    made = reduction_rows.layer_norm(call)
    if call.attributes["axis"] == call.rank - 1 and call.shapes[0][-1]:
        bias = call.operands[2] if call.has(2) else None
        made[0] = mx.fast.layer_norm(call.x, call.operands[1], bias, call.attributes["epsilon"])
    return made


# ---- windows: MLX's have the channels last


def _with_bias(call: Call, made: Tensor) -> Tensor:
    made = mx.moveaxis(made, -1, 1)
    return made + mx.reshape(call.operands[2], (-1, *(1 for _ in call.shape[2:]))) if call.has(2) else made


def _pads(call: Call) -> tuple[list[int], list[int]]:
    pads = call.attributes["pads"]
    return pads[: len(pads) // 2], pads[len(pads) // 2 :]


@row("Conv")
def convolution(call: Call) -> Tensor:
    if 0 in call.shape or 0 in call.shapes[0]:
        raise UnsupportedError("a convolution without elements")
    made = mx.conv_general(
        mx.moveaxis(call.x, 1, -1),
        mx.moveaxis(call.operands[1], 1, -1),
        stride=call.attributes["strides"],
        padding=_pads(call),
        kernel_dilation=call.attributes["dilations"],
        groups=call.attributes["group"],
    )
    return _with_bias(call, made)


@row("ConvTranspose")
def transposed_convolution(call: Call) -> Tensor:
    """The convolution of a picture with zeros between its elements, the kernel turned around."""
    weight, groups = call.operands[1], call.attributes["group"]
    channels, made, *kernel = call.shapes[1]
    dilations, extra = call.attributes["dilations"], call.attributes["output_padding"]
    before, after = _pads(call)
    reach = [d * (k - 1) for d, k in zip(dilations, kernel, strict=True)]
    low = [r - a for r, a in zip(reach, before, strict=True)]
    high = [r - b + e for r, b, e in zip(reach, after, extra, strict=True)]
    if min([*low, *high]) < 0 or 0 in call.shape or 0 in call.shapes[0]:
        raise UnsupportedError("a transposed convolution that cuts off, or without elements")
    weight = mx.reshape(weight, (groups, channels // groups, made, *kernel))
    weight = mx.reshape(mx.swapaxes(weight, 1, 2), (groups * made, channels // groups, *kernel))
    convolved = mx.conv_general(
        mx.moveaxis(call.x, 1, -1),
        mx.moveaxis(weight, 1, -1),
        stride=[1] * len(kernel),
        padding=(low, high),
        kernel_dilation=dilations,
        input_dilation=call.attributes["strides"],
        groups=groups,
        flip=True,
    )
    return _with_bias(call, convolved)
