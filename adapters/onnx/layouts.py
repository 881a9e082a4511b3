"""How a tensor's logical indices map to elements of its storage, as ATen has it: sizes, strides, offset.

The rules decide what is a view and what a copy, so whoever functionalizes a graph needs them. Strides and offset count
elements. Where a rule is ATen's own invention its place in the source is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np

from adapters.worker.case_text import contiguous_strides
from adapters.worker.system import UnsupportedError

Sizes = tuple[int, ...]


@dataclass(frozen=True)
class Layout:
    sizes: Sizes
    strides: Sizes
    offset: int = 0

    @property
    def rank(self) -> int:
        return len(self.sizes)

    @property
    def numel(self) -> int:
        return prod(self.sizes)

    def extent(self) -> int:
        """One past the highest element touched."""
        if self.numel == 0:
            return self.offset
        return self.offset + 1 + sum((n - 1) * s for n, s in zip(self.sizes, self.strides, strict=True))

    def elements(self) -> np.ndarray:
        """The storage element of each logical index."""
        places = np.full(self.sizes, self.offset, dtype=np.int64)
        for dim, (size, stride) in enumerate(zip(self.sizes, self.strides, strict=True)):
            shape = [1] * self.rank
            shape[dim] = size
            places += (np.arange(size, dtype=np.int64) * stride).reshape(shape)
        return places

    def is_contiguous(self) -> bool:
        expected = contiguous_strides(self.sizes)
        pairs = zip(self.sizes, self.strides, expected, strict=True)
        return self.numel == 0 or all(size == 1 or stride == wanted for size, stride, wanted in pairs)

    def is_dense(self) -> bool:
        """Whether the elements fill one unbroken block, in any order of dims."""
        if self.numel < 2:
            return True
        dims = sorted((stride, size) for size, stride in zip(self.sizes, self.strides, strict=True) if size != 1)
        expected = 1
        for stride, size in dims:
            if stride != expected:
                return False
            expected *= size
        return True

    def is_expanded(self) -> bool:
        """Whether several elements are one because of a stride of 0: eager refuses to write to that."""
        pairs = zip(self.sizes, self.strides, strict=True)
        return self.numel > 0 and any(size > 1 and stride == 0 for size, stride in pairs)


def contiguous(sizes: Sequence[int]) -> Layout:
    return Layout(tuple(sizes), tuple(contiguous_strides(sizes)))


def wrap(dim: int, rank: int) -> int:
    """A dim that may count from the end; a scalar has one dim to speak of."""
    return dim % max(rank, 1)


def infer_sizes(sizes: Sequence[int], numel: int) -> Sizes:
    """Sizes with a -1 filled in."""
    known = prod(size for size in sizes if size != -1)
    return tuple(numel // known if size == -1 else size for size in sizes)


def view_strides(layout: Layout, sizes: Sequence[int]) -> Sizes | None:
    """Strides under which the layout seen as `sizes` is a view, or nothing if it needs a copy (TensorUtils.cpp)."""
    if layout.numel == 0:
        return layout.strides if layout.sizes == tuple(sizes) else tuple(contiguous_strides(sizes))
    strides = [1] * len(sizes)
    at = len(sizes) - 1
    base = layout.strides[-1] if layout.rank else 1
    chunk = seen = 1
    for dim in range(layout.rank - 1, -1, -1):
        chunk *= layout.sizes[dim]
        if dim > 0 and (layout.sizes[dim - 1] == 1 or layout.strides[dim - 1] == chunk * base):
            continue
        while at >= 0 and (seen < chunk or sizes[at] == 1):
            strides[at] = seen * base
            seen *= sizes[at]
            at -= 1
        if seen != chunk:
            return None
        if dim > 0:
            base, chunk, seen = layout.strides[dim - 1], 1, 1
    return None if at != -1 and layout.rank else tuple(strides)


def without(items: Sizes, dims: Sequence[int]) -> Sizes:
    return tuple(item for dim, item in enumerate(items) if dim not in dims)


def permuted(layout: Layout, dims: Sequence[int]) -> Layout:
    order = [wrap(dim, layout.rank) for dim in dims]
    return replace(layout, sizes=tuple(layout.sizes[d] for d in order), strides=tuple(layout.strides[d] for d in order))


def squeezed(layout: Layout, dims: Sequence[int]) -> Layout:
    gone = [wrap(dim, layout.rank) for dim in dims]
    gone = [dim for dim in gone if layout.rank and layout.sizes[dim] == 1]
    return replace(layout, sizes=without(layout.sizes, gone), strides=without(layout.strides, gone))


def unsqueezed(layout: Layout, dim: int) -> Layout:
    at = wrap(dim, layout.rank + 1)
    stride = layout.sizes[at] * layout.strides[at] if at < layout.rank else 1
    sizes = (*layout.sizes[:at], 1, *layout.sizes[at:])
    return replace(layout, sizes=sizes, strides=(*layout.strides[:at], stride, *layout.strides[at:]))


def sliced(layout: Layout, dim: int, start: int, count: int, step: int) -> Layout:
    """`count` elements of a dim from `start` on."""
    sizes, strides = list(layout.sizes), list(layout.strides)
    offset = layout.offset + start * strides[dim]
    sizes[dim], strides[dim] = count, strides[dim] * step
    return Layout(tuple(sizes), tuple(strides), offset)


def expanded(layout: Layout, sizes: Sequence[int]) -> Layout:
    added = len(sizes) - layout.rank
    new_sizes, new_strides = [], []
    for dim, size in enumerate(sizes):
        old = layout.sizes[dim - added] if dim >= added else 1
        keeps = dim >= added and size in (-1, old)
        new_sizes.append(old if keeps else size)
        new_strides.append(layout.strides[dim - added] if keeps else 0)
    return Layout(tuple(new_sizes), tuple(new_strides), layout.offset)


def diagonal(layout: Layout, offset: int, dim1: int, dim2: int) -> Layout:
    rows, columns = wrap(dim1, layout.rank), wrap(dim2, layout.rank)
    height, width = layout.sizes[rows], layout.sizes[columns]
    size = max(min(height, width - offset) if offset >= 0 else min(height + offset, width), 0)
    start = layout.offset
    if size > 0:
        start += offset * layout.strides[columns] if offset >= 0 else -offset * layout.strides[rows]
    step = layout.strides[rows] + layout.strides[columns]
    gone = (rows, columns)
    return Layout((*without(layout.sizes, gone), size), (*without(layout.strides, gone), step), start)


def unfolded(layout: Layout, dim: int, size: int, step: int) -> Layout:
    if layout.rank == 0:
        return replace(layout, sizes=(size,), strides=(1,))
    at = wrap(dim, layout.rank)
    sizes, strides = list(layout.sizes), list(layout.strides)
    windows = (sizes[at] - size) // step + 1
    inner = strides[at]
    sizes[at], strides[at] = windows, inner * step
    return Layout((*sizes, size), (*strides, inner), layout.offset)


def _inside_out(sizes: Sizes, operands: Sequence[Sizes]) -> list[int]:
    """The dims from innermost to outermost, as the operands' strides ask (TensorIterator.cpp, reorder_dimensions).

    An insertion sort, because the comparison is not transitive: the algorithm is part of the rule.
    """

    def compare(a: int, b: int) -> int:
        for strides in operands:
            if strides[a] == 0 or strides[b] == 0:
                continue
            if strides[a] != strides[b]:
                return -1 if strides[a] < strides[b] else 1
            if sizes[a] > sizes[b]:
                return 1
        return 0

    order = list(range(len(sizes) - 1, -1, -1))
    for i in range(1, len(order)):
        placed = i
        for j in range(i - 1, -1, -1):
            comparison = compare(order[j], order[placed])
            if comparison < 0:
                break
            if comparison > 0:
                order[j], order[placed] = order[placed], order[j]
                placed = j
    return order


def _packed(sizes: Sizes, order: Sequence[int]) -> Layout:
    strides, stride = [0] * len(sizes), 1
    for dim in order:
        strides[dim] = stride
        stride *= max(sizes[dim], 1)
    return Layout(sizes, tuple(strides))


CHANNELS_LAST = {"channels_last": (1, 3, 2, 0), "channels_last_3d": (1, 4, 3, 2, 0)}


def _is_channels_last(layout: Layout) -> bool:
    if layout.rank != 4:
        return False
    packed = _packed(layout.sizes, CHANNELS_LAST["channels_last"])
    pairs = zip(layout.sizes, layout.strides, packed.strides, strict=True)
    return all(size == 1 or stride == wanted for size, stride, wanted in pairs)


def elementwise(sizes: Sizes, operands: Sequence[Layout]) -> Layout:
    """What an element-wise op makes of operands that broadcast to `sizes` (TensorIterator.cpp)."""
    if all(operand.sizes == sizes for operand in operands):
        if all(operand.is_contiguous() for operand in operands):
            return contiguous(sizes)
        if all(_is_channels_last(operand) for operand in operands):
            return _packed(sizes, CHANNELS_LAST["channels_last"])
        first = operands[0].strides
        if all(operand.is_dense() and operand.strides == first for operand in operands):
            return Layout(sizes, first)
    broadcast = []
    for operand in operands:
        added = len(sizes) - operand.rank
        strides = zip(operand.sizes, sizes[added:], operand.strides, strict=True)
        broadcast.append((0,) * added + tuple(s if old == new else 0 for old, new, s in strides))
    return _packed(sizes, _inside_out(sizes, broadcast))


def fresh(like: Layout, memory_format: str) -> Layout:
    """What a tensor becomes when it is copied into a memory format."""
    if memory_format == "contiguous_format":
        return contiguous(like.sizes)
    if memory_format in CHANNELS_LAST:
        if like.rank != len(CHANNELS_LAST[memory_format]):
            raise UnsupportedError(f"{memory_format} of {like.rank} dims")
        return _packed(like.sizes, CHANNELS_LAST[memory_format])
    if like.is_dense():
        return replace(like, offset=0)
    return _packed(like.sizes, _inside_out(like.sizes, [like.strides]))


def in_format(layout: Layout, memory_format: str) -> bool:
    """Whether contiguous(memory_format) hands the tensor itself on."""
    if memory_format not in CHANNELS_LAST:
        return layout.is_contiguous()
    wanted = fresh(layout, memory_format).strides
    return all(size == 1 or a == b for size, a, b in zip(layout.sizes, layout.strides, wanted, strict=True))
