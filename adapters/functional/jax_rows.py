"""The operators in jax.numpy, jax.nn and jax.lax."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from adapters.functional import movement_rows, pointwise_rows, reduction_rows, window_rows
from adapters.functional.calls import Call, Library, Table, Tensor, into
from adapters.worker.arrays import DTYPES

TABLE: Table = {**pointwise_rows.ROWS, **movement_rows.ROWS, **reduction_rows.ROWS, **window_rows.ROWS}
row = into(TABLE)


class Names:
    """jax.numpy, and what it has under other names."""

    reciprocal = staticmethod(jnp.reciprocal)
    rsqrt = staticmethod(lax.rsqrt)
    softmax = staticmethod(jax.nn.softmax)
    log_softmax = staticmethod(jax.nn.log_softmax)
    logsumexp = staticmethod(jax.nn.logsumexp)

    def __getattr__(self, name: str) -> Any:
        return getattr(jnp, name)

    @staticmethod
    def zeros(shape: tuple[int, ...], dtype: str) -> Tensor:
        return jnp.zeros(shape, DTYPES[dtype])

    @staticmethod
    def stable_order(x: Tensor, axis: int, descending: bool) -> Tensor:
        return jnp.argsort(x, axis=axis, stable=True, descending=descending)

    @staticmethod
    def scatter(x: Tensor, places: Tensor, updates: Tensor, reduction: str) -> Tensor:
        at = x.at[places]
        return {"none": at.set, "add": at.add, "mul": at.multiply, "max": at.max, "min": at.min}[reduction](updates)


LIBRARY = Library(Names(), jnp.asarray, lambda x, dtype: x.astype(DTYPES[dtype]))


@row("Div")
def divide(call: Call) -> Tensor:
    """Of integers it truncates, which jax.numpy's does not."""
    a, b = call.operands
    return jnp.divide(a, b) if call.dtype.startswith(("f", "bf")) else lax.div(*jnp.broadcast_arrays(a, b))


@row("Mod")
def remainder(call: Call) -> Tensor:
    return (jnp.fmod if call.get("fmod") else jnp.remainder)(*call.operands)


@row("BitwiseNot")
def bitwise_not(call: Call) -> Tensor:
    return jnp.bitwise_not(call.x)


@row("Erf")
def erf(call: Call) -> Tensor:
    return lax.erf(call.x)


DIRECT = {
    "Median": jnp.median,
    "Expm1": jnp.expm1, "Log1p": jnp.log1p, "Log2": jnp.log2, "Log10": jnp.log10, "Exp2": jnp.exp2,
    "Rsqrt": lax.rsqrt, "Erfc": lax.erfc, "Erfinv": lax.erf_inv, "Lgamma": lax.lgamma,
    "I0": special.i0, "I0e": special.i0e, "I1": special.i1, "I1e": special.i1e, "Ndtr": special.ndtr,
    "Silu": jax.nn.silu, "Trunc": jnp.trunc, "Signbit": jnp.signbit,
    "Atan2": jnp.arctan2, "Hypot": jnp.hypot, "Nextafter": jnp.nextafter, "LogAddExp": jnp.logaddexp,
    "LogAddExp2": jnp.logaddexp2, "Copysign": jnp.copysign, "Gcd": jnp.gcd, "Lcm": jnp.lcm,
}  # fmt: skip
# No digamma: at its poles XLA has NaN where eager has an infinity.
TABLE |= {kind: lambda call, function=function: function(*call.operands) for kind, function in DIRECT.items()}
TABLE |= {
    "CumProd": reduction_rows.scan(lax.cumprod), "CumMax": reduction_rows.scan(lax.cummax),
    "CumMin": reduction_rows.scan(lax.cummin), "LogCumSumExp": reduction_rows.scan(lax.cumlogsumexp),
}  # fmt: skip


@row("Sigmoid")
def sigmoid(call: Call) -> Tensor:
    return jax.nn.sigmoid(call.x)


@row("Softplus")
def softplus(call: Call) -> Tensor:
    return jax.nn.softplus(call.x)


@row("Elu")
def elu(call: Call) -> Tensor:
    return jax.nn.elu(call.x, call.get("alpha"))


@row("Celu")
def celu(call: Call) -> Tensor:
    return jax.nn.celu(call.x, call.get("alpha"))


@row("Selu")
def selu(call: Call) -> Tensor:
    return jax.nn.selu(call.x)


@row("Mish")
def mish(call: Call) -> Tensor:
    return jax.nn.mish(call.x)


@row("Gelu")
def gelu(call: Call) -> Tensor:
    return jax.nn.gelu(call.x, approximate=call.attributes["approximate"] == "tanh")


# ---- windows


def _pads(call: Call) -> list[tuple[int, int]]:
    pads = call.attributes["pads"]
    return list(zip(pads[: len(pads) // 2], pads[len(pads) // 2 :], strict=True))


def _with_bias(call: Call, made: Tensor) -> Tensor:
    return made + jnp.reshape(call.operands[2], (-1, *(1 for _ in call.shape[2:]))) if call.has(2) else made


@row("Conv")
def convolution(call: Call) -> Tensor:
    made = lax.conv_general_dilated(
        call.x,
        call.operands[1],
        call.attributes["strides"],
        _pads(call),
        rhs_dilation=call.attributes["dilations"],
        feature_group_count=call.attributes["group"],
    )
    return _with_bias(call, made)


@row("ConvTranspose")
def transposed_convolution(call: Call) -> Tensor:
    """The convolution of a picture with zeros between its elements, the kernel turned around."""
    weight, groups = call.operands[1], call.attributes["group"]
    channels, made, *kernel = call.shapes[1]
    weight = jnp.flip(weight, range(2, 2 + len(kernel)))
    weight = jnp.reshape(weight, (groups, channels // groups, made, *kernel))
    weight = jnp.reshape(jnp.swapaxes(weight, 1, 2), (groups * made, channels // groups, *kernel))
    dilations, extra = call.attributes["dilations"], call.attributes["output_padding"]
    reach = [d * (k - 1) for d, k in zip(dilations, kernel, strict=True)]
    pads = [(r - a, r - b + e) for r, (a, b), e in zip(reach, _pads(call), extra, strict=True)]
    convolved = lax.conv_general_dilated(
        call.x,
        weight,
        [1] * len(kernel),
        pads,
        lhs_dilation=call.attributes["strides"],
        rhs_dilation=dilations,
        feature_group_count=groups,
    )
    return _with_bias(call, convolved)


def _reduce_windows(call: Call, start: float, fold: Any) -> Tensor:
    kernel, dims = call.attributes["kernel_shape"], len(call.attributes["kernel_shape"])
    return lax.reduce_window(
        call.x,
        np.array(start, dtype=DTYPES[call.dtypes[0]]),
        fold,
        (1, 1, *kernel),
        (1, 1, *call.attributes["strides"]),
        [(0, 0), (0, 0), *_pads(call)],
        window_dilation=(1, 1, *call.get("dilations", [1] * dims)),
    )


@row("AveragePool")
def average_pool(call: Call) -> Tensor:
    if 0 in call.shape:
        return jnp.zeros(call.shape, DTYPES[call.dtype])
    sizes = window_rows.window_sizes(call, call.attributes["kernel_shape"])
    return _reduce_windows(call, 0.0, lax.add) / jnp.reshape(sizes, call.shape[2:])


@row("MaxPool")
def max_pool(call: Call) -> list[Tensor]:
    if 0 in call.shape:
        return [jnp.zeros(shape, DTYPES[dtype]) for dtype, shape in call.results]
    return window_rows.with_places(call, _reduce_windows(call, -np.inf, lax.max))
