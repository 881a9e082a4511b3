"""Windows that slide over the spatial dims, of convolutions and pools: their arguments, and how many fit."""

from __future__ import annotations

from collections.abc import Sequence

from adapters.onnx.graph import Graph, Value
from adapters.worker.system import UnsupportedError

Spatial = int | list[int]  # a number for each spatial dim, or one for all


def each(numbers: Spatial, dims: int) -> list[int]:
    """One number per spatial dim."""
    listed = [numbers] if isinstance(numbers, int) else list(numbers)
    return listed * dims if len(listed) == 1 else listed


def windows_in(
    sizes: Sequence[int], kernel: Sequence[int], stride: list[int], padding: list[int], dilation: list[int],
    ceil_mode: bool = False,
) -> list[int]:  # fmt: skip
    """How many windows fit along each spatial dim: whole ones, and with `ceil_mode` one that reaches beyond the end.

    PyTorch leaves that one out where it begins in the pad behind the tensor, ONNX only from operator set 22 on.
    """
    made = []
    for n, k, s, p, d in zip(sizes, kernel, stride, padding, dilation, strict=True):
        room = n + 2 * p - d * (k - 1) - 1
        windows = (-(-room // s) if ceil_mode else room // s) + 1
        if ceil_mode and (windows - 1) * s >= n + p:
            raise UnsupportedError("ONNX keeps a window of a pool with ceil_mode that begins in the pad")
        made.append(windows)
    return made


def batched(graph: Graph, x: Value, dims: int) -> Value:
    """With the batch dim that ATen lets a caller leave out."""
    return x if x.rank == dims + 2 else graph.unsqueeze(x, 0)


def unbatched(graph: Graph, made: Value, x: Value) -> Value:
    """Without the batch dim where `x`, which it was made of, has none."""
    return made if x.rank == made.rank else graph.squeeze(made, [0])
