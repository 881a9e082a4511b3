"""Windows that slide over the spatial dims, of convolutions and pools: their arguments, and how many fit."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.onnx.graph import Graph, Value

Spatial = int | list[int]  # a number for each spatial dim, or one for all


def each(numbers: Spatial, dims: int) -> list[int]:
    """One number per spatial dim."""
    listed = [numbers] if isinstance(numbers, int) else list(numbers)
    return listed * dims if len(listed) == 1 else listed


def windows_in(
    sizes: Sequence[int], kernel: Sequence[int], stride: list[int], padding: list[int], dilation: list[int]
) -> list[int]:
    """How many whole windows fit along each spatial dim."""
    reach = zip(sizes, kernel, stride, padding, dilation, strict=True)
    return [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, s, p, d in reach]


def batched(graph: Graph, x: Value, dims: int) -> Value:
    """With the batch dim that ATen lets a caller leave out."""
    return x if x.rank == dims + 2 else graph.unsqueeze(x, 0)


def unbatched(graph: Graph, made: Value, x: Value) -> Value:
    """Without the batch dim where `x`, which it was made of, has none."""
    return made if x.rank == made.rank else graph.squeeze(made, [0])
