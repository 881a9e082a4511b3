"""Pools over regions whose corners are numbers of the graph."""

from __future__ import annotations

import numpy as np

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value


def _samples(b: Builder, corners: Value, first: int, size: int, outputs: int, per: int, shift: float,
             scale: float) -> tuple[Value, Value, Value, Value]:  # fmt: skip
    """Along one axis, of each sample: the elements below and above, the upper one's share, whether it is inside."""
    ends = [b.sub(b.mul(b.select(corners, 1, first + 2 * i), scale), shift) for i in range(2)]
    length = b.sub(ends[1], ends[0])
    if not shift:  # a region of less than one element is one
        length = b.call("clamp_min.default", length, 1)
    steps = b.known((np.arange(outputs * per) + 0.5) / (outputs * per), corners.dtype)
    regions = corners.shape[0]
    at = b.add(b.mul(b.reshape(length, [regions, 1]), steps), b.reshape(ends[0], [regions, 1]))
    inside = b.call("logical_and.default", b.compare("ge", at, -1), b.compare("le", at, size), dtype="bool")
    at = b.call("clamp.default", at, 0, size - 1)
    floor = b.unary("floor", at)
    low = b.cast(floor, "i64")
    return low, b.call("clamp_max.default", b.add(low, 1), size - 1), b.sub(at, floor), inside


@row("RoiAlign")
def roi_align(b: Builder, node: Node) -> Results:
    x, corners, images = node.x, node.operand(1), node.operand(2)
    mode, per = node.word("mode", "avg"), node.integer("sampling_ratio", 0)
    coordinates = "output_half_pixel"
    if node.version >= 16:
        node.only("coordinate_transformation_mode", "half_pixel", "output_half_pixel")
        coordinates = node.word("coordinate_transformation_mode", "half_pixel")
    if per <= 0 or mode not in ("avg", "max"):
        raise NoCounterpartError(f"mode {mode!r} with {per} samples: how many there are depends on elements")
    shift, scale = 0.5 if coordinates == "half_pixel" else 0.0, node.number("spatial_scale", 1.0)
    high, wide = node.integer("output_height", 1), node.integer("output_width", 1)
    rows = _samples(b, corners, 1, x.shape[2], high, per, shift, scale)
    columns = _samples(b, corners, 0, x.shape[3], wide, per, shift, scale)
    regions, lead = corners.shape[0], b.reshape(b.cast(images, "i64"), [corners.shape[0], 1, 1])
    plain = b.permute(x, [0, 2, 3, 1])

    def spread(one: Value, dim: int) -> Value:
        return b.reshape(one, [regions, one.shape[1], 1] if dim == 0 else [regions, 1, one.shape[1]])

    parts = []
    for upper in (False, True):
        for right in (False, True):
            place = [lead, spread(rows[upper], 0), spread(columns[right], 1)]
            shares = [
                one if side else b.call("rsub.Scalar", one, 1)
                for one, side in ((spread(rows[2], 0), upper), (spread(columns[2], 1), right))
            ]
            share = b.mul(*shares)
            parts.append(b.mul(b.index(plain, place), b.reshape(share, [*share.shape, 1])))
    made = parts[0]
    for part in parts[1:]:
        made = b.add(made, part) if mode == "avg" else b.call("maximum.default", made, part)
    inside = b.call("logical_and.default", spread(rows[3], 0), spread(columns[3], 1), dtype="bool")
    made = b.where(b.reshape(inside, [*inside.shape, 1]), made, 0)
    bins = b.reshape(made, [regions, high, per, wide, per, x.shape[1]])
    pooled = b.mean(bins, [2, 4], False) if mode == "avg" else b.reduce("amax.default", bins, [2, 4], False)
    return b.permute(pooled, [0, 3, 1, 2])
