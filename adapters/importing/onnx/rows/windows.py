"""Where the windows of convolutions and pools lie: sizes, strides, dilations and pads of an operator's attributes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.values import NoCounterpartError


@dataclass(frozen=True)
class Windows:
    """A number per spatial dim."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    before: list[int]
    after: list[int]
    outputs: list[int]
    overhang: list[int]  # what the last window reaches beyond the pads, where sizes are rounded up

    @property
    def symmetric(self) -> bool:
        return self.before == self.after


def windows(node: Node, sizes: Sequence[int], kernel: list[int], ceil: bool = False) -> Windows:
    """Reads strides, dilations, pads and auto_pad."""
    dims = len(sizes)
    strides = node.integers("strides") or [1] * dims
    dilations = node.integers("dilations") or [1] * dims
    pads, auto = node.integers("pads") or [0] * 2 * dims, node.word("auto_pad", "NOTSET")
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    if auto in ("SAME_UPPER", "SAME_LOWER"):
        totals = [
            max((-(-size // stride) - 1) * stride + length - size, 0)
            for size, stride, length in zip(sizes, strides, reach, strict=True)
        ]
        less = [total // 2 for total in totals]
        more = [total - half for total, half in zip(totals, less, strict=True)]
        before, after = (less, more) if auto == "SAME_UPPER" else (more, less)
    elif auto in ("NOTSET", "VALID"):
        before, after = (pads[:dims], pads[dims:]) if auto == "NOTSET" else ([0] * dims, [0] * dims)
    else:
        raise NoCounterpartError(f"auto_pad is {auto!r}")
    outputs, overhang = [], []
    for size, b, a, length, stride in zip(sizes, before, after, reach, strides, strict=True):
        room = size + b + a - length
        count = (-(-room // stride) if ceil else room // stride) + 1
        if ceil and (count - 1) * stride >= size + b:  # a window that begins in the pads behind is none
            count -= 1
        outputs.append(count)
        overhang.append(max((count - 1) * stride + length - size - b - a, 0))
    return Windows(kernel, strides, dilations, before, after, outputs, overhang)
