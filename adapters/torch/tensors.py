"""Data of a case file as torch tensors, and back: dtypes, `data` in its three forms, layouts over a storage."""

from __future__ import annotations

import base64
import ctypes
from collections.abc import Sequence
from typing import Any

import torch

from adapters.worker.case_text import contiguous_strides, random_numbers, split_type

DTYPES: dict[str, torch.dtype] = {
    "bool": torch.bool,
    "u8": torch.uint8,
    "i8": torch.int8,
    "i16": torch.int16,
    "i32": torch.int32,
    "i64": torch.int64,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f32": torch.float32,
    "f64": torch.float64,
}
NAMES: dict[torch.dtype, str] = {dtype: name for name, dtype in DTYPES.items()}


def parse_type(text: str) -> tuple[torch.dtype, list[int]]:
    """The dtype and sizes of "f32[2,3]"."""
    name, sizes = split_type(text)
    return DTYPES[name], sizes


def decode(data: Any, dtype: torch.dtype, sizes: Sequence[int]) -> torch.Tensor:
    """A contiguous tensor of the case file's `data`: numbers in row-major order, {"b64"} or {"random"}."""
    if isinstance(data, dict) and "b64" in data:
        raw = bytearray(base64.b64decode(data["b64"]))
        return torch.frombuffer(raw, dtype=dtype).reshape(sizes) if raw else torch.empty(sizes, dtype=dtype)
    if isinstance(data, dict):
        data = random_numbers(data["random"], torch.Size(sizes).numel())
    if not dtype.is_floating_point:
        return torch.tensor([int(x) for x in data], dtype=dtype).reshape(sizes)
    # Each number is read as a double ("nan" and "inf" included) and rounded to the dtype.
    return torch.tensor([float(x) for x in data], dtype=torch.float64).to(dtype).reshape(sizes)


def encode(tensor: torch.Tensor) -> dict[str, Any]:
    """{"type", "data"} of a tensor: its elements in row-major order as little-endian bytes."""
    dense = tensor.detach().contiguous()
    if dense._is_zerotensor():  # what autograd makes of a zero: there is no memory behind it
        dense = torch.zeros_like(dense)
    raw = ctypes.string_at(dense.data_ptr(), dense.nbytes) if dense.nbytes else b""
    sizes = ",".join(str(size) for size in dense.shape)
    return {"type": f"{NAMES[dense.dtype]}[{sizes}]", "data": {"b64": base64.b64encode(raw).decode()}}


def strided(dense: torch.Tensor, strides: Sequence[int] | None) -> torch.Tensor:
    """A fresh tensor of these strides over a storage just large enough, holding `dense` by logical index."""
    sizes = list(dense.shape)
    if strides is None or dense.numel() == 0:
        layout = list(strides) if strides is not None else contiguous_strides(sizes)
        return torch.empty_strided(sizes, layout, dtype=dense.dtype).copy_(dense)
    extent = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    storage = torch.zeros(extent, dtype=dense.dtype)
    # By element, because copy_ refuses a destination that is expanded.
    places = torch.arange(extent).as_strided(sizes, list(strides)).reshape(-1)
    storage[places] = dense.reshape(-1)
    return storage.as_strided(sizes, list(strides))
