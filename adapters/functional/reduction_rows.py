"""Reductions, scans, sorts, normalizations and products, in functions that have numpy's names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from adapters.functional.calls import Call, Table, Tensor, into

ROWS: Table = {}
row = into(ROWS)


def reduced_dims(call: Call) -> tuple[int, ...]:
    """The dims of a Reduce…; none are none, not all of them."""
    return tuple(sorted(dim % max(call.rank, 1) for dim in call.numbers(1)))


def _reduce(call: Call, name: str, x: Tensor) -> Tensor:
    """Of the sizes that the library gives it, which are judged too."""
    dims = reduced_dims(call)
    if not dims and call.rank:
        return x
    return getattr(call.np, name)(x, axis=dims if call.rank else None, keepdims=bool(call.get("keepdims")))


for _kind, _name in {"Sum": "sum", "Mean": "mean", "Prod": "prod", "Max": "max", "Min": "min"}.items():
    ROWS[f"Reduce{_kind}"] = lambda call, name=_name: _reduce(call, name, call.x)


def sum_of_short(call: Call) -> Tensor:
    """For libraries that sum integers of less than 32 bits in 32."""
    return call.lib.cast(_reduce(call, "sum", call.x), "i64")


def truth(call: Call) -> Tensor:
    """Any and All, for libraries whose function of that name takes operands of every dtype."""
    return _reduce(call, call.kind.lower(), call.x) if call.rank else call.lib.cast(call.x, "bool")


@row("ReduceL1")
def sum_of_sizes(call: Call) -> Tensor:
    return _reduce(call, "sum", call.np.abs(call.x))


@row("ReduceL2")
def root_of_squares(call: Call) -> Tensor:
    return call.np.sqrt(_reduce(call, "sum", call.np.multiply(call.x, call.x)))


@row("ReduceLogSumExp")
def log_of_sum(call: Call) -> Tensor:
    return _reduce(call, "logsumexp", call.x) if reduced_dims(call) or not call.rank else call.x


@row("ArgMax", "ArgMin")
def extreme_place(call: Call) -> Tensor:
    found = getattr(call.np, call.kind.lower())(call.x, axis=call.attributes["axis"])
    return call.np.reshape(call.lib.cast(found, "i64"), call.shape)


@row("CumSum")
def running_sum(call: Call) -> Tensor:
    return call.np.cumsum(call.x, axis=call.numbers(1)[0])


def scan(function: Callable[..., Tensor]) -> Callable[[Call], Tensor]:
    """The row of a library's scan along an axis."""
    return lambda call: function(call.x, axis=call.attributes["axis"])


@row("Softmax")
def softmax(call: Call) -> Tensor:
    return call.np.softmax(call.x, axis=call.attributes["axis"])


@row("LogSoftmax")
def log_softmax(call: Call) -> Tensor:
    return call.np.log_softmax(call.x, axis=call.attributes["axis"])


@row("TopK")
def largest(call: Call) -> list[Tensor]:
    """A stable sort, and its first ones."""
    axis, count = call.attributes["axis"], call.shape[call.attributes["axis"]]
    if 0 in call.shape:
        return [call.np.zeros(call.shape, dtype) for dtype, _ in call.results]
    order = call.np.stable_order(call.x, axis, descending=bool(call.attributes["largest"]))
    kept = tuple(slice(0, count) if dim == axis else slice(None) for dim in range(call.rank))
    places = order[kept]
    return [call.np.take_along_axis(call.x, places, axis=axis), call.lib.cast(places, "i64")]


@row("LayerNormalization")
def layer_norm(call: Call) -> list[Tensor]:
    """Its mean and the reciprocal of its deviation too, which native_layer_norm gives."""
    dims = tuple(range(call.attributes["axis"], call.rank))
    mean = call.np.mean(call.x, axis=dims, keepdims=True)
    distance = call.np.subtract(call.x, mean)
    variance = call.np.mean(call.np.multiply(distance, distance), axis=dims, keepdims=True)
    spread = call.np.rsqrt(call.np.add(variance, call.number(call.attributes["epsilon"])))
    made = call.np.multiply(call.np.multiply(distance, spread), call.operands[1])
    made = call.np.add(made, call.operands[2]) if call.has(2) else made
    return [made, mean, spread][: len(call.results)]


@row("BatchNormalization")
def batch_norm(call: Call) -> Tensor:
    channels = (-1, *(1 for _ in range(call.rank - 2)))
    scale, shift, mean, variance = (call.np.reshape(one, channels) for one in call.operands[1:])
    spread = call.np.rsqrt(call.np.add(variance, call.number(call.attributes["epsilon"])))
    distance = call.np.subtract(call.x, mean)
    return call.np.add(call.np.multiply(call.np.multiply(distance, spread), scale), shift)


@row("MatMul")
def product(call: Call) -> Tensor:
    return call.np.matmul(call.operands[0], call.operands[1])


@row("Gemm")
def general_product(call: Call) -> Tensor:
    right = call.np.transpose(call.operands[1], (1, 0)) if call.get("transB") else call.operands[1]
    made = call.np.matmul(call.x, right)
    alpha, beta = call.get("alpha", 1.0), call.get("beta", 1.0)
    made = made if alpha == 1 else call.np.multiply(made, call.number(alpha))
    added = call.operands[2] if beta == 1 else call.np.multiply(call.operands[2], call.number(beta))
    return call.np.add(made, added)


# ---- resampling


def _cubic(distance: np.ndarray, a: float) -> np.ndarray:
    """Keys' kernel."""
    d = np.abs(distance)
    near = ((a + 2) * d - (a + 3)) * d * d + 1
    far = ((d - 5) * d + 8) * d * a - 4 * a
    return np.where(d <= 1, near, np.where(d < 2, far, 0))


def _taps(call: Call, size: int, out: int) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """The places that are read along a dim, and their weights; no weights where it is the nearest alone."""
    way, mode = call.attributes["coordinate_transformation_mode"], call.attributes["mode"]
    steps = np.arange(out, dtype=np.float64)
    if way == "align_corners":
        source = steps * ((size - 1) / (out - 1) if out > 1 else 0.0)
    elif way == "asymmetric":
        source = steps * (size / out)
    else:
        source = (steps + 0.5) * (size / out) - 0.5
    if mode == "nearest":
        places = np.floor(source if call.attributes["nearest_mode"] == "floor" else source + 0.5)
        return [(np.clip(places, 0, size - 1).astype(np.int64), None)]
    if mode == "linear":
        source = np.clip(source, 0, size - 1)
        low = np.floor(source)
        rest = source - low
        pairs = [(low, 1 - rest), (np.minimum(low + 1, size - 1), rest)]
    else:
        low = np.floor(source)
        rest = source - low
        offsets = (-1, 0, 1, 2)
        pairs = [(np.clip(low + k, 0, size - 1), _cubic(rest - k, call.attributes["cubic_coeff_a"])) for k in offsets]
    return [(places.astype(np.int64), weights) for places, weights in pairs]


@row("Resize")
def resize(call: Call) -> Tensor:
    """Dim by dim: a take of each neighbour, times its weights."""
    made = call.x
    for dim in range(call.rank - 1, 1, -1):
        taps = _taps(call, call.shapes[0][dim], call.shape[dim])
        total = None
        for places, weights in taps:
            part = call.np.take(made, call.lib.constant(places), axis=dim)
            if weights is not None:
                along = weights.reshape([-1 if d == dim else 1 for d in range(call.rank)])
                part = call.np.multiply(part, call.lib.cast(call.lib.constant(along), call.dtypes[0]))
            total = part if total is None else call.np.add(total, part)
        made = total
    return made
