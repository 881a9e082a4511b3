"""What the text of a case file says without any library of tensors: types, value names, random data, row-major strides.

Standard library only: the adapters for PyTorch (torch/tensors.py) and those for numpy (arrays.py) share it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

_VALUE = re.compile(r"%([A-Za-z_][A-Za-z0-9_]*)")


def split_type(text: str) -> tuple[str, list[int]]:
    """The dtype's name and the sizes of "f32[2,3]"."""
    name, _, rest = text.partition("[")
    return name, [int(size) for size in rest.rstrip("]").split(",") if size.strip()]


def fed(type_text: str, entry: Any) -> tuple[str, Any]:
    """The type and the data of a feed's entry: an entry that carries a type of its own is of other sizes."""
    if isinstance(entry, dict) and "type" in entry:
        return entry["type"], entry["data"]
    return type_text, entry


def value_name(argument: Any) -> str | None:
    """The name in "%name", or nothing."""
    found = _VALUE.fullmatch(argument) if isinstance(argument, str) else None
    return found.group(1) if found else None


def contiguous_strides(sizes: Sequence[int]) -> list[int]:
    """Row-major strides; a zero-size dim counts as one, as in PyTorch."""
    strides = [1] * len(sizes)
    for dim in range(len(sizes) - 2, -1, -1):
        strides[dim] = strides[dim + 1] * max(sizes[dim + 1], 1)
    return strides


def philox_word(seed: int, index: int) -> int:
    """Word `index` of Philox 4x32-10 under `seed`, as core/philox.cpp has it."""
    mask = 0xFFFFFFFF
    block = index // 4
    c = [block & mask, block >> 32, 0, 0]
    k0, k1 = seed & mask, (seed >> 32) & mask
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k0, p1 & mask, (p0 >> 32) ^ c[3] ^ k1, p0 & mask]
        k0, k1 = (k0 + 0x9E3779B9) & mask, (k1 + 0xBB67AE85) & mask
    return c[index % 4]


def random_numbers(random: dict[str, Any], count: int) -> list[float]:
    """The elements of {"random": {"seed", "low", "high"}}."""
    low, high = random["low"], random["high"]
    return [low + (high - low) * (philox_word(random["seed"], i) / 2**32) for i in range(count)]
