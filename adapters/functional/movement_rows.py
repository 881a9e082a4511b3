"""Operators that move elements, in functions that have numpy's names. Sizes, dims and bounds are the graph's own."""

from __future__ import annotations

import numpy as np

from adapters.functional.calls import Call, Table, Tensor, into
from adapters.worker.arrays import Array
from adapters.worker.system import UnsupportedError

ROWS: Table = {}
row = into(ROWS)


@row("Reshape", "Squeeze", "Unsqueeze")
def reshape(call: Call) -> Tensor:
    return call.np.reshape(call.x, call.shape)


@row("Transpose")
def transpose(call: Call) -> Tensor:
    return call.np.transpose(call.x, call.attributes["perm"])


@row("Expand")
def expand(call: Call) -> Tensor:
    return call.np.broadcast_to(call.x, call.shape)


@row("Concat")
def concat(call: Call) -> Tensor:
    return call.np.concatenate(call.operands, axis=call.attributes["axis"])


@row("Split")
def split(call: Call) -> list[Tensor]:
    axis = call.attributes["axis"]
    parts, begin = [], 0
    for size in call.numbers(1):
        parts.append(call.x[_at(call.rank, {axis: slice(begin, begin + size)})])
        begin += size
    return parts


def _at(rank: int, places: dict[int, slice]) -> tuple[slice, ...]:
    return tuple(places.get(dim, slice(None)) for dim in range(rank))


@row("Slice")
def cut(call: Call) -> Tensor:
    starts, stops, dims, steps = (call.numbers(place) for place in (1, 2, 3, 4))
    places = {}
    for start, stop, dim, step in zip(starts, stops, dims, steps, strict=True):
        begin, end, _ = slice(start, stop, step).indices(call.shapes[0][dim])
        places[dim] = slice(begin, None if end < 0 else end, step)
    return call.x[_at(call.rank, places)]


@row("Tile")
def tile(call: Call) -> Tensor:
    return call.np.tile(call.x, call.numbers(1))


@row("Trilu")
def triangle(call: Call) -> Tensor:
    return (call.np.triu if call.attributes["upper"] else call.np.tril)(call.x, call.numbers(1)[0])


@row("Pad")
def pad(call: Call) -> Tensor:
    numbers = call.numbers(1)
    before, after = numbers[: call.rank], numbers[call.rank :]
    if call.attributes["mode"] == "constant":
        # A negative pad cuts off, which numpy's does not.
        kept = {d: slice(max(-b, 0), n - max(-a, 0)) for d, (n, b, a) in enumerate(_along(call, before, after))}
        width = [(max(b, 0), max(a, 0)) for b, a in zip(before, after, strict=True)]
        fill = call.operands[2] if call.has(2) else call.number(0)
        return call.np.pad(call.x[_at(call.rank, kept)], width, constant_values=fill)
    return mirrored(call, before, after)


def _along(call: Call, before: list[int], after: list[int]) -> list[tuple[int, int, int]]:
    return list(zip(call.shapes[0], before, after, strict=True))


def mirrored(call: Call, before: list[int], after: list[int]) -> Tensor:
    """A pad with elements of the operand: a take of them along each dim."""
    made = call.x
    for dim, (size, low, high) in enumerate(_along(call, before, after)):
        if low or high:
            places = np.pad(np.arange(size), (low, high), mode=call.attributes["mode"])
            made = call.np.take(made, call.lib.constant(places), axis=dim)
    return made


# ---- by index


def wrapped(call: Call, indices: Tensor, size: int) -> Tensor:
    """Indices from 0 up: ONNX counts negative ones from the end."""
    zero, length = (call.lib.constant(np.array(number, dtype=np.int64)) for number in (0, size))
    indices = call.lib.cast(indices, "i64")
    return call.np.where(call.np.less(indices, zero), call.np.add(indices, length), indices)


@row("Gather")
def gather(call: Call) -> Tensor:
    axis = call.attributes["axis"]
    if 0 in call.shape:
        return call.np.zeros(call.shape, call.dtype)
    indices = call.operands[1]
    if call.constants[1] is None:
        indices = wrapped(call, indices, call.shapes[0][axis])
    return call.np.take(call.x, indices, axis=axis)


def _strides(sizes: tuple[int, ...]) -> list[int]:
    return [int(np.prod(sizes[dim + 1 :], dtype=np.int64)) for dim in range(len(sizes))]


def flat_places(call: Call, indices: Tensor) -> Tensor:
    """For Gather- and ScatterElements: the place of each among the first operand's elements in row-major order."""
    data, shape, axis = call.shapes[0], call.shapes[1], call.attributes["axis"]
    grid: Array = np.zeros(shape, dtype=np.int64)
    for dim, stride in enumerate(_strides(data)):
        if dim != axis:
            own = np.arange(shape[dim], dtype=np.int64) * stride
            grid = grid + own.reshape([-1 if d == dim else 1 for d in range(len(shape))])
    steps = call.lib.constant(np.array(_strides(data)[axis], dtype=np.int64))
    along = call.np.multiply(wrapped(call, indices, data[axis]), steps)
    return call.np.reshape(call.np.add(along, call.lib.constant(grid)), (-1,))


def flat_tuples(call: Call, indices: Tensor) -> tuple[Tensor, int]:
    """For GatherND and ScatterND: the place of each among the slices that tuples pick, and how many dims they pick."""
    data, count = call.shapes[0], call.shapes[1][-1]
    total = None
    for dim, stride in enumerate(_strides(data[:count])):
        part = wrapped(call, indices[..., dim], data[dim])
        part = call.np.multiply(part, call.lib.constant(np.array(stride, dtype=np.int64)))
        total = part if total is None else call.np.add(total, part)
    if total is None:
        raise UnsupportedError("an index of no dims")
    return call.np.reshape(total, (-1,)), count


@row("GatherElements")
def gather_elements(call: Call) -> Tensor:
    if 0 in call.shape:
        return call.np.zeros(call.shape, call.dtype)
    flat = call.np.reshape(call.x, (-1,))
    return call.np.reshape(call.np.take(flat, flat_places(call, call.operands[1]), axis=0), call.shape)


@row("GatherND")
def gather_tuples(call: Call) -> Tensor:
    if 0 in call.shape:
        return call.np.zeros(call.shape, call.dtype)
    places, count = flat_tuples(call, call.operands[1])
    rows = call.np.reshape(call.x, (-1, *call.shapes[0][count:]))
    return call.np.reshape(call.np.take(rows, places, axis=0), call.shape)


@row("ScatterElements")
def scatter_elements(call: Call) -> Tensor:
    if 0 in call.shapes[1]:
        return call.x
    flat = call.np.reshape(call.x, (-1,))
    updates = call.np.reshape(call.operands[2], (-1,))
    made = call.np.scatter(flat, flat_places(call, call.operands[1]), updates, call.get("reduction", "none"))
    return call.np.reshape(made, call.shape)


@row("ScatterND")
def scatter_tuples(call: Call) -> Tensor:
    if 0 in call.shapes[1] or 0 in call.shapes[2]:
        return call.x
    places, count = flat_tuples(call, call.operands[1])
    rows = call.np.reshape(call.x, (-1, *call.shapes[0][count:]))
    updates = call.np.reshape(call.operands[2], (-1, *call.shapes[0][count:]))
    made = call.np.scatter(rows, places, updates, call.get("reduction", "none"))
    return call.np.reshape(made, call.shape)
