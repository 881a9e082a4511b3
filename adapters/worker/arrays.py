"""Data of a case file as numpy arrays, and back: dtypes, `data` in its three forms.

For PyTorch, torch/tensors.py does the same. bf16 is ml_dtypes' (onnx brings it along).
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np

from adapters.worker.case_text import random_numbers, split_type

Array = np.ndarray

DTYPES: dict[str, np.dtype] = {
    "bool": np.dtype(np.bool_),
    "u8": np.dtype(np.uint8),
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
NAMES: dict[np.dtype, str] = {dtype: name for name, dtype in DTYPES.items()}
FLOATS = ("f16", "bf16", "f32", "f64")


def decode(data: Any, type_text: str) -> Array:
    """A contiguous array of the case file's `data`: numbers in row-major order, {"b64"} or {"random"}."""
    name, sizes = split_type(type_text)
    dtype = DTYPES[name]
    if isinstance(data, dict) and "b64" in data:
        return np.frombuffer(bytearray(base64.b64decode(data["b64"])), dtype=dtype).reshape(sizes)
    if isinstance(data, dict):
        data = random_numbers(data["random"], int(np.prod(sizes, dtype=np.int64)))
    if name in FLOATS:
        # Each number is read as a double ("nan" and "inf" included) and rounded to the dtype.
        with np.errstate(over="ignore"):
            return np.array([float(x) for x in data], dtype=np.float64).astype(dtype).reshape(sizes)
    return np.array([int(x) for x in data], dtype=dtype).reshape(sizes)


def encode(array: Array) -> dict[str, Any]:
    """{"type", "data"} of an array: its elements in row-major order as little-endian bytes."""
    sizes = ",".join(str(size) for size in array.shape)
    data = base64.b64encode(array.tobytes()).decode()
    return {"type": f"{NAMES[array.dtype]}[{sizes}]", "data": {"b64": data}}


def window(storage: Array, sizes: Sequence[int], strides: Sequence[int], offset: int) -> Array:
    """The elements of a flat storage under that layout, as a view of it."""
    steps = [stride * storage.itemsize for stride in strides]
    return np.lib.stride_tricks.as_strided(storage[offset:], tuple(sizes), tuple(steps))


class _Held:
    """An array's memory with the array itself: a view of an array that is a view holds the one below it instead."""

    def __init__(self, array: Array) -> None:
        self.array = array
        self.__array_interface__ = array.__array_interface__


def holding(array: Array) -> Array:
    """A view of the array. It and views of it keep that very array alive, and what a system has tied to it."""
    return np.asarray(_Held(array))
