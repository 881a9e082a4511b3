"""Convolutions and pools as a library without operators of its own for them: each window's elements are taken."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from adapters.functional.calls import Call, Table, Tensor, into
from adapters.worker.arrays import Array

ROWS: Table = {}
row = into(ROWS)


def pads_as_same(call: Call, kernel: Sequence[int]) -> bool:
    """Whether these pads are those of `SAME`, as models of TensorFlow have them: a window begins at every stride-th
    element, and what is missing is shared out, the odd one behind."""
    strides, pads, dims = call.attributes["strides"], call.attributes["pads"], len(kernel)
    dilations = call.get("dilations", [1] * dims)
    for dim, size in enumerate(call.shapes[0][2:]):
        windows = -(-size // strides[dim])
        missing = max((windows - 1) * strides[dim] + dilations[dim] * (kernel[dim] - 1) + 1 - size, 0)
        if call.shape[2 + dim] != windows or pads[dim] != missing // 2 or pads[dims + dim] != missing - missing // 2:
            return False
    return True


def window_places(call: Call, kernel: list[int]) -> tuple[Array, Array]:
    """For each window (row-major) and each of its elements the place in the picture, and whether it is inside."""
    dims = len(kernel)
    sizes, out = call.shapes[0][2:], call.shape[2:]
    strides, pads = call.attributes["strides"], call.attributes["pads"][:dims]
    dilations = call.get("dilations", [1] * dims)
    place = np.zeros((*out, *kernel), dtype=np.int64)
    inside = np.ones((*out, *kernel), dtype=bool)
    for dim in range(dims):
        at = (np.arange(out[dim]) * strides[dim] - pads[dim])[:, None] + np.arange(kernel[dim]) * dilations[dim]
        shape = [1] * (2 * dims)
        shape[dim], shape[dims + dim] = out[dim], kernel[dim]
        at = at.reshape(shape)
        inside &= (at >= 0) & (at < sizes[dim])
        place = place * sizes[dim] + np.clip(at, 0, max(sizes[dim] - 1, 0))
    count = int(np.prod(kernel, dtype=np.int64))
    return place.reshape(-1, count), inside.reshape(-1, count)


def windows(call: Call, kernel: list[int], outside: float) -> Tensor:
    """[batch, channels, windows, elements], with that number for what lies in the pad."""
    places, inside = window_places(call, kernel)
    batch, channels = call.shapes[0][:2]
    flat = call.np.reshape(call.x, (batch, channels, -1))
    taken = call.np.take(flat, call.lib.constant(places.reshape(-1)), axis=2)
    taken = call.np.reshape(taken, (batch, channels, *places.shape))
    if inside.all():
        return taken
    return call.np.where(call.lib.constant(inside), taken, call.number(outside))


@row("AveragePool")
def average_pool(call: Call) -> Tensor:
    kernel = call.attributes["kernel_shape"]
    if 0 in call.shape:
        return call.np.zeros(call.shape, call.dtype)
    total = call.np.sum(windows(call, kernel, 0.0), axis=(3,))
    return call.np.reshape(call.np.divide(total, window_sizes(call, kernel)), call.shape)


def window_sizes(call: Call, kernel: list[int]) -> Tensor:
    """How many elements each window's mean is of."""
    _, inside = window_places(call, kernel)
    counts = np.full(len(inside), inside.shape[1]) if call.get("count_include_pad") else inside.sum(1)
    return call.lib.cast(call.lib.constant(counts.astype(np.float64)), call.dtypes[0])


@row("MaxPool")
def max_pool(call: Call) -> list[Tensor]:
    """The maxima and their places, each counted in its own plane: the writer takes the remainder anyway."""
    if 0 in call.shape:
        return [call.np.zeros(call.shape, dtype) for dtype, _ in call.results]
    made = call.np.max(windows(call, call.attributes["kernel_shape"], float("-inf")), axis=(3,))
    return with_places(call, call.np.reshape(made, call.shape))


def with_places(call: Call, maxima: Tensor) -> list[Tensor]:
    """The maxima, and where the node has a second result their places."""
    return [maxima] if len(call.results) == 1 else [maxima, max_places(call, call.attributes["kernel_shape"])]


def max_places(call: Call, kernel: list[int]) -> Tensor:
    places, inside = window_places(call, kernel)
    # What lies in the pad stands for the first element inside: a row of -infinities has its place there.
    first = inside.argmax(1)
    repeated = np.where(inside, places, places[np.arange(len(places)), first][:, None])
    batch, channels = call.shapes[0][:2]
    flat = call.np.reshape(call.x, (batch, channels, -1))
    taken = call.np.reshape(
        call.np.take(flat, call.lib.constant(repeated.reshape(-1)), axis=2), (batch, channels, *repeated.shape)
    )
    chosen = call.lib.cast(call.np.argmax(taken, axis=3), "i64")
    offsets = call.lib.constant(np.arange(len(places), dtype=np.int64) * places.shape[1])
    table = call.lib.constant(repeated.reshape(-1))
    spatial = call.np.take(table, call.np.reshape(call.np.add(chosen, offsets), (-1,)), axis=0)
    return call.np.reshape(spatial, call.results[1][1])
