"""Operators that give elements other places."""

from __future__ import annotations

from math import prod

import numpy as np

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value, broadcast


def axes_of(b: Builder, node: Node, i: int, since: int) -> list[int] | None:
    """Axes as operand i from operator set `since` on, as an attribute before."""
    if node.version < since:
        return node.integers("axes")
    given = node.optional(i)
    return None if given is None else b.ints(given, "an axis")


@row("Reshape", since=5)
def reshape(b: Builder, node: Node) -> Results:
    wanted, keep_zero = b.ints(node.operand(1), "a size"), node.flag("allowzero")
    sizes = [node.x.shape[i] if size == 0 and not keep_zero else size for i, size in enumerate(wanted)]
    if -1 in sizes:
        rest = prod(size for size in sizes if size != -1)
        sizes[sizes.index(-1)] = node.x.numel // rest if rest else 0
    if prod(sizes) != node.x.numel:
        raise NoCounterpartError(f"{list(node.x.shape)} as {wanted}")
    return reshaped(b, node, sizes)


def reshaped(b: Builder, node: Node, sizes: list[int]) -> Value:
    return b.call("reshape.default", node.x, sizes, shape=sizes)


@row("Flatten")
def flatten(b: Builder, node: Node) -> Results:
    axis = node.integer("axis", 1)
    axis = axis + node.x.rank if axis < 0 else axis
    return reshaped(b, node, [prod(node.x.shape[:axis]), prod(node.x.shape[axis:])])


@row("Squeeze")
def squeeze(b: Builder, node: Node) -> Results:
    axes = axes_of(b, node, 1, 13)
    rank = node.x.rank
    gone = {d % rank for d in axes} if axes is not None else {d for d in range(rank) if node.x.shape[d] == 1}
    if any(node.x.shape[d] != 1 for d in gone):
        raise NoCounterpartError("a dim that is squeezed and is not 1")
    return reshaped(b, node, [size for d, size in enumerate(node.x.shape) if d not in gone])


@row("Unsqueeze")
def unsqueeze(b: Builder, node: Node) -> Results:
    axes = axes_of(b, node, 1, 13)
    if axes is None:
        raise NoCounterpartError("axes are missing")
    rank = node.x.rank + len(axes)
    fresh, sizes = {d % rank for d in axes}, iter(node.x.shape)
    return reshaped(b, node, [1 if d in fresh else next(sizes) for d in range(rank)])


@row("Expand")
def expand(b: Builder, node: Node) -> Results:
    sizes = broadcast(node.x.shape, b.ints(node.operand(1), "a size"))
    return b.call("expand_copy.default", node.x, list(sizes), shape=sizes)


@row("Tile", since=6)
def tile(b: Builder, node: Node) -> Results:
    times = b.ints(node.operand(1), "a count")
    shape = [size * count for size, count in zip(node.x.shape, times, strict=True)]
    return b.call("repeat.default", node.x, times, shape=shape)


@row("Transpose")
def transpose(b: Builder, node: Node) -> Results:
    order = node.integers("perm")
    order = list(range(node.x.rank))[::-1] if order is None else order
    return b.call("permute_copy.default", node.x, order, shape=[node.x.shape[d] for d in order])


@row("Slice", until=9)
def slice_of_attributes(b: Builder, node: Node) -> Results:
    starts, ends = node.integers("starts") or [], node.integers("ends") or []
    return sliced(b, node.x, starts, ends, node.integers("axes"), None)


@row("Slice", since=10)
def slices(b: Builder, node: Node) -> Results:
    starts, ends = b.ints(node.operand(1), "a start"), b.ints(node.operand(2), "an end")
    axes, steps = node.optional(3), node.optional(4)
    return sliced(b, node.x, starts, ends, None if axes is None else b.ints(axes, "an axis"),
                  None if steps is None else b.ints(steps, "a step"))  # fmt: skip


def sliced(b: Builder, x: Value, starts: list[int], ends: list[int], axes: list[int] | None,
           steps: list[int] | None) -> Value:  # fmt: skip
    axes = list(range(len(starts))) if axes is None else axes
    made = x
    for axis, start, end, step in zip(axes, starts, ends, steps or [1] * len(starts), strict=True):
        axis %= x.rank
        places = range(x.shape[axis])[slice(start, end if step > 0 or end >= -x.shape[axis] else None, step)]
        made = b.slice(made, axis, places.start, places.stop, places.step)
    return b.clone(x) if made is x else made


@row("Concat", since=4)
def concat(b: Builder, node: Node) -> Results:
    parts = node.every()
    axis = node.axis(0)
    return b.clone(parts[0]) if len(parts) == 1 else b.concat(parts, axis)


@row("Split", since=2)
def split(b: Builder, node: Node) -> Results:
    axis = node.axis(0)
    size, count = node.x.shape[axis], node.integer("num_outputs", node.results)
    given = node.integers("split") if node.version < 13 else None
    if node.version >= 13 and node.optional(1) is not None:
        given = b.ints(node.optional(1), "a size")
    each = -(-size // count)
    sizes = given or [max(min(each, size - each * i), 0) for i in range(count)]
    if sum(sizes) != size or len(sizes) != node.results:
        raise NoCounterpartError(f"{size} elements in parts of {sizes}")
    return b.split(node.x, sizes, axis)


@row("Pad", since=2)
def pad(b: Builder, node: Node) -> Results:
    x, mode, number = node.x, node.word("mode", "constant"), 0
    if node.version < 11:
        both = node.integers("pads") or []
        number = node.number("value", 0.0)
    else:
        both = b.ints(node.operand(1), "a pad")
        if node.optional(2) is not None:
            number = b.array(node.optional(2), "what is padded with").reshape(()).item()
    axes = list(range(x.rank)) if node.optional(3) is None else b.ints(node.optional(3), "an axis")
    before, after = [0] * x.rank, [0] * x.rank
    for i, axis in enumerate(axes):
        before[axis % x.rank], after[axis % x.rank] = both[i], both[i + len(axes)]
    if mode == "constant":
        return b.pad(x, before, after, number) if any(both) else b.clone(x)
    modes = {"reflect": "reflect", "edge": "edge", "wrap": "wrap"}
    if mode not in modes:
        raise NoCounterpartError(f"mode is {mode!r}")
    made = x
    for d in range(x.rank):
        if before[d] or after[d]:
            # What is cut off is cut off first, as NumPy's pad knows no negative pads.
            places = np.arange(x.shape[d])[max(-before[d], 0) : x.shape[d] + min(after[d], 0)]
            places = np.pad(places, (max(before[d], 0), max(after[d], 0)), mode=modes[mode])
            made = b.index_select(made, d, places.tolist())
    return b.clone(x) if made is x else made


@row("DepthToSpace")
def depth_to_space(b: Builder, node: Node) -> Results:
    size, mode = node.integer("blocksize", 0), node.word("mode", "DCR")
    n, c, h, w = node.x.shape
    deep = c // size**2
    if mode == "DCR":
        parts = b.permute(b.reshape(node.x, [n, size, size, deep, h, w]), [0, 3, 4, 1, 5, 2])
    elif mode == "CRD":
        parts = b.permute(b.reshape(node.x, [n, deep, size, size, h, w]), [0, 1, 4, 2, 5, 3])
    else:
        raise NoCounterpartError(f"mode is {mode!r}")
    return b.call("reshape.default", parts, [n, deep, h * size, w * size], shape=[n, deep, h * size, w * size])


@row("SpaceToDepth")
def space_to_depth(b: Builder, node: Node) -> Results:
    size, mode = node.integer("blocksize", 0), node.word("mode", "DCR")
    n, c, h, w = node.x.shape
    parts = b.reshape(node.x, [n, c, h // size, size, w // size, size])
    orders = {"DCR": [0, 3, 5, 1, 2, 4], "CRD": [0, 1, 3, 5, 2, 4]}
    if mode not in orders:
        raise NoCounterpartError(f"mode is {mode!r}")
    return b.reshape(b.permute(parts, orders[mode]), [n, c * size**2, h // size, w // size])


@row("Trilu")
def trilu(b: Builder, node: Node) -> Results:
    k = 0 if node.optional(1) is None else b.array(node.optional(1), "k").item()
    return b.call("triu.default" if node.flag("upper", True) else "tril.default", node.x, k)


@row("CenterCropPad")
def center_crop_pad(b: Builder, node: Node) -> Results:
    sizes = b.ints(node.operand(1), "a size")
    axes = node.integers("axes") or list(range(node.x.rank))
    made = node.x
    for axis, wanted in zip((axis % node.x.rank for axis in axes), sizes, strict=True):
        had = made.shape[axis]
        if wanted < had:
            begin = (had - wanted) // 2
            made = b.slice(made, axis, begin, begin + wanted)
        elif wanted > had:
            begin = (wanted - had) // 2
            rest = [0] * (made.rank - axis - 1)
            made = b.pad(made, [begin, *rest], [wanted - had - begin, *rest])
    return b.clone(made) if made is node.x else made


@row("ReverseSequence")
def reverse_sequence(b: Builder, node: Node) -> Results:
    time, batch = node.integer("time_axis", 0), node.integer("batch_axis", 1)
    lengths = b.ints(node.operand(1), "a length")
    if {time, batch} != {0, 1}:
        raise NoCounterpartError("its axes are not 0 and 1")
    steps = np.arange(node.x.shape[time])
    places = np.stack([np.where(steps < length, length - 1 - steps, steps) for length in lengths], axis=batch)
    other = np.arange(node.x.shape[batch]).reshape([-1, 1] if batch == 0 else [1, -1])
    pair = {time: b.integers(places), batch: b.integers(other)}
    return b.index(node.x, [pair[0], pair[1]])


@row("Col2Im")
def col2im(b: Builder, node: Node) -> Results:
    """The sum of the columns at their places: each place of a padded image gets what lies on it."""
    image, block = b.ints(node.operand(1), "a size"), b.ints(node.operand(2), "a size")
    dims = len(image)
    pads = node.integers("pads") or [0] * 2 * dims
    strides, dilations = node.integers("strides") or [1] * dims, node.integers("dilations") or [1] * dims
    padded = [size + pads[d] + pads[d + dims] for d, size in enumerate(image)]
    places = np.zeros([1] * 2 * dims, dtype=np.int64)
    for d in range(dims):
        count = (padded[d] - dilations[d] * (block[d] - 1) - 1) // strides[d] + 1
        along = (np.arange(block[d]) * dilations[d])[:, None] + np.arange(count) * strides[d]
        shape = [1] * 2 * dims
        shape[d], shape[d + dims] = along.shape
        places = places * padded[d] + along.reshape(shape)
    n, columns, blocks = node.x.shape
    channels = columns // prod(block)
    flat = b.reshape(node.x, [n, channels, prod(block) * blocks])
    index = b.integers(np.broadcast_to(places.reshape(-1), flat.shape))
    zeros = b.full([n, channels, prod(padded)], 0, node.x.dtype)
    made = b.reshape(b.call("scatter_add.default", zeros, 2, index, flat, shape=zeros.shape), [n, channels, *padded])
    for d in range(dims):
        made = b.slice(made, d + 2, pads[d], pads[d] + image[d])
    return made
