"""Fourier transforms as products with the matrices of their definition, and the matrix of mel bands."""

from __future__ import annotations

import numpy as np

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.types import element_dtype
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value, bounded


def _transformed(b: Builder, real: Value, imaginary: Value | None, length: int, outputs: int, inverse: bool) -> Value:
    """The transform along the last dim, with the parts in a new one."""
    turns = np.outer(np.arange(real.shape[-1]), np.arange(outputs)) % length * (2 * np.pi / length)
    sign, factor = (1, 1 / length) if inverse else (-1, 1)
    cos, sin = b.known(np.cos(turns) * factor, real.dtype), b.known(sign * np.sin(turns) * factor, real.dtype)
    first, second = b.matmul(real, cos), b.matmul(real, sin)
    if imaginary is not None:
        first = b.sub(first, b.matmul(imaginary, sin))
        second = b.add(second, b.matmul(imaginary, cos))
    return b.stack([first, second], first.rank)


def _from_one_side(b: Builder, real: Value, imaginary: Value | None, length: int) -> Value:
    """The real signal whose transform's first half is given: all but the ends stand for two elements."""
    turns = np.outer(np.arange(real.shape[-1]), np.arange(length)) % length * (2 * np.pi / length)
    ends = [k in (0, length / 2) for k in range(real.shape[-1])]
    weights = np.where(ends, 1, 2)[:, None] / length
    made = b.matmul(real, b.known(np.cos(turns) * weights, real.dtype))
    if imaginary is not None:
        sines = np.where(np.array(ends)[:, None], 0, np.sin(turns)) * weights
        made = b.sub(made, b.matmul(imaginary, b.known(sines, real.dtype)))
    return b.reshape(made, [*made.shape, 1])


@row("DFT")
def dft(b: Builder, node: Node) -> Results:
    x, inverse, onesided = node.x, node.flag("inverse"), node.flag("onesided")
    if node.version < 20:
        axis = node.integer("axis", 1)
    else:
        axis = -2 if node.optional(2) is None else int(b.array(node.optional(2), "an axis").reshape(()).item())
    axis %= x.rank
    length = 2 * (x.shape[axis] - 1) if onesided and inverse else x.shape[axis]
    if node.optional(1) is not None:
        length = int(b.array(node.optional(1), "a length").reshape(()).item())
    used = min(length // 2 + 1 if onesided and inverse else length, x.shape[axis])
    x = b.slice(x, axis, 0, used)
    real = b.select(x, x.rank - 1, 0)
    imaginary = b.select(x, x.rank - 1, 1) if x.shape[-1] == 2 else None
    last = real.rank - 1
    order = [*(d for d in range(real.rank) if d != axis), axis]
    parts = [None if one is None else b.permute(one, order) for one in (real, imaginary)]
    assert parts[0] is not None
    if onesided and inverse:
        made = _from_one_side(b, parts[0], parts[1], length)
    else:
        made = _transformed(b, parts[0], parts[1], length, length // 2 + 1 if onesided else length, inverse)
    back = [*range(axis), last, *range(axis, last), real.rank]
    return b.permute(made, back)


@row("STFT")
def stft(b: Builder, node: Node) -> Results:
    signal, step = node.x, int(b.array(node.operand(1), "a step").reshape(()).item())
    window, given, onesided = node.optional(2), node.optional(3), node.flag("onesided", True)
    if signal.rank == 3 and signal.shape[2] == 2:
        raise NoCounterpartError("a signal of complex numbers")
    length = int(b.array(given, "a length").reshape(()).item()) if given is not None else None
    length = window.shape[0] if length is None and window is not None else length
    if length is None or (window is not None and window.shape[0] != length):
        raise NoCounterpartError("a window of another length than the frames")
    flat = b.reshape(signal, signal.shape[:2])
    frames = (flat.shape[1] - length) // step + 1
    places = b.integers(np.arange(frames)[:, None] * step + np.arange(length))
    cut = b.index(flat, [None, places])
    cut = cut if window is None else b.mul(cut, window)
    return _transformed(b, cut, None, length, length // 2 + 1 if onesided else length, False)


@row("MelWeightMatrix")
def mel_weights(b: Builder, node: Node) -> Results:
    """A matrix that no input changes: triangles over the bins of a spectrum, evenly spaced in mels."""
    bands, length, rate = (b.ints(node.operand(i), "a number of the matrix")[0] for i in range(3))
    low, high = (float(b.array(node.operand(i), "a number of the matrix").reshape(())) for i in (3, 4))
    dtype = element_dtype(node.integer("output_datatype", 1))
    if rate <= 0 or length < 0 or bands < 0:
        raise NoCounterpartError(f"{bands} bands of {length} elements at a rate of {rate}")
    bounded((length // 2 + 1) * bands)
    ends = [2595 * np.log10(1 + hertz / 700) for hertz in (low, high)]
    mels = np.arange(bands + 2) * ((ends[1] - ends[0]) / (bands + 2)) + ends[0]
    bins = np.floor_divide((length + 1) * 700 * (10 ** (mels / 2595) - 1), rate).astype(np.int64)
    matrix = np.zeros([length // 2 + 1, bands])
    for band in range(bands):
        first, centre, last = bins[band : band + 3]
        if first == centre:
            matrix[centre, band] = 1
        for place in range(first, centre + 1 if centre > first else first):
            matrix[place, band] = (place - first) / (centre - first)
        for place in range(centre, last if last > centre else centre):
            matrix[place, band] = (last - place) / (last - centre)
    return b.known(matrix, dtype)
