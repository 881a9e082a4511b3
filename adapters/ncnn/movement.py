"""Layers that move elements. Reads and writes by index are joins of crops, for indices that are known."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from adapters.ncnn.net import DIMS, Blob, fits_parameter
from adapters.ncnn.writer import Node, Results, sizes_of, translation

MOST_PIECES = 64  # of a gather or scatter: beyond, it would be the network

# The order types of Permute (operators.md): what becomes w, h, d and c, by letters for the operand's dims.
ORDERS = {
    2: "WH HW",
    3: "WHC HWC WCH CWH HCW CHW",
    4: "WHDC HWDC WDHC DWHC HDWC DHWC WHCD HWCD WCHD CWHD HCWD CHWD WDCH DWCH WCDH CWDH DCWH CDWH HDCW DHCW HCDW CHDW "
    "DCHW CDHW",
}


@translation("Reshape", "Flatten")
def reshape(node: Node) -> Results:
    sizes = sizes_of(node.shape)
    return node.net.reshape(node.blob(), sizes) if sizes != node.blob().shape else noop(node)


def noop(node: Node) -> Blob:
    return node.net.layer("Noop", [node.blob()], node.blob().shape)


@translation("Unsqueeze")
def unsqueeze(node: Node) -> Results:
    if node.rank == 0:
        return reshape(node)
    axes = [axis % len(node.shape) for axis in node.integers(1)]
    return node.net.layer("ExpandDims", [node.blob()], node.shape, {3: axes})


@translation("Squeeze")
def squeeze(node: Node) -> Results:
    return node.net.layer("Squeeze", [node.blob()], sizes_of(node.shape), {3: node.integers(1)})


@translation("Transpose")
def transpose(node: Node) -> Results:
    if node.rank < 2:
        return noop(node)
    dims = DIMS[node.rank].upper()
    order = "".join(dims[axis] for axis in reversed(node.attributes["perm"]))
    return node.net.layer("Permute", [node.blob()], node.shape, {0: ORDERS[node.rank].split().index(order)})


@translation("Slice")
def crop(node: Node) -> Results:
    (start,), (stop,), (dim,), (step,) = (node.integers(index) for index in (1, 2, 3, 4))
    size = node.shapes[0][dim]
    if step == -1 and node.shape == node.shapes[0]:
        return node.net.layer("Flip", [node.blob()], node.shape, {0: [dim]})
    begin, end, step = slice(start, stop, step).indices(size)
    if step == 1:
        return node.net.crop(node.blob(), dim, begin, end)
    return _picked(node, node.blob(), dim, list(range(begin, end, step)))


@translation("Concat")
def concat(node: Node) -> Results:
    parts = [node.blob(index) for index in range(len(node.operands))]
    return node.net.concat(parts, node.attributes["axis"]) if len(parts) > 1 else noop(node)


@translation("Split")
def split(node: Node) -> Results:
    return node.net.layers_of(
        "Slice", [node.blob()], node.results, {0: node.integers(1), 1: node.attributes["axis"]}
    )  # fmt: skip


@translation("Expand", "Tile")
def tile(node: Node) -> Results:
    shape = sizes_of(node.shape)
    x = node.blob()
    x = node.net.reshape(x, (*(1 for _ in range(len(shape) - x.rank)), *x.shape))
    repeats = [out // size for out, size in zip(shape, x.shape, strict=True)]
    return node.net.layer("Tile", [x], shape, {2: repeats})


@translation("Pad")
def pad(node: Node) -> Results:
    """Padding's border goes round w and h, and round c of three dims or d of four."""
    bounds = node.integers(1)
    before, after = bounds[: node.rank], bounds[node.rank :]
    if min(bounds) < 0:
        raise node.refuse("ncnn's Padding cuts nothing off")
    if node.rank == 4 and (before[0] or after[0]):
        raise node.refuse("ncnn pads no outermost of four dims")
    fill = (node.number(2) if node.has(2) else 0.0) if node.attributes["mode"] == "constant" else 0.0
    if fill is None or not fits_parameter(fill):
        raise node.refuse("a number that a .param cannot carry")
    kind = {"constant": 0, "edge": 1, "reflect": 2}[node.attributes["mode"]]
    parameters: dict[int, int | float] = {4: kind, 5: fill}
    for places, axis in (((2, 3), -1), ((0, 1), -2), ((7, 8), -3)):
        if node.rank >= -axis:
            parameters |= {places[0]: before[axis], places[1]: after[axis]}
    return node.net.layer("Padding", [node.blob()], node.shape, parameters)


# ---- by index


def _picked(node: Node, x: Blob, dim: int, places: Sequence[int]) -> Blob:
    """x at these places of a dim, in their order: crops of the runs among them, joined."""
    cuts = [0, *(i + 1 for i, (a, b) in enumerate(pairwise(places)) if b != a + 1), len(places)]
    if len(cuts) > MOST_PIECES:
        raise node.refuse("indices in more runs than are worth a crop each")
    return node.net.concat([node.net.crop(x, dim, places[a], places[b - 1] + 1) for a, b in pairwise(cuts)], dim)


@translation("Gather")
def gather(node: Node) -> Results:
    dim = node.attributes["axis"]
    size = node.shapes[0][dim]
    places = [place % size for place in node.integers(1)]
    if not places:
        raise node.refuse("no indices")
    return node.net.reshape(_picked(node, node.blob(), dim, places), node.shape)


@translation("ScatterElements")
def scatter(node: Node) -> Results:
    """Of one dim and without a reduction: the runs of what stays and of what is written, joined."""
    if node.rank != 1 or node.attributes.get("reduction", "none") != "none":
        raise node.refuse("more than one dim, or sums")
    source = np.full(node.shape, -1, dtype=np.int64)
    for position, place in enumerate(node.integers(1)):
        source[place] = position  # of several that write to one place the last stays
    kept, written = node.blob(0), node.blob(2)
    pieces: list[Blob] = []
    begin = 0
    for end in range(1, len(source) + 1):
        run = end < len(source) and (source[end] == source[end - 1] + 1 if source[begin] >= 0 else source[end] < 0)
        if not run:
            first = int(source[begin])
            pieces.append(
                node.net.crop(kept, 0, begin, end)
                if first < 0
                else node.net.crop(written, 0, first, first + end - begin)
            )
            begin = end
    if len(pieces) > MOST_PIECES:
        raise node.refuse("indices in more runs than are worth a crop each")
    return node.net.concat(pieces, 0)
