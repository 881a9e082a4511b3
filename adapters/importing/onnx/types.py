"""Element types: what ONNX numbers, and the dtypes of a case."""

from __future__ import annotations

import onnx

from adapters.importing.onnx.values import NoCounterpartError
from adapters.onnx.graph import ONNX_DTYPES

_NAMES = {number: name for name, number in ONNX_DTYPES.items()}


def element_dtype(number: int) -> str:
    """The dtype of a TensorProto.DataType, or a refusal that names it."""
    if number not in _NAMES:
        named = number in onnx.TensorProto.DataType.values()
        name = onnx.TensorProto.DataType.Name(number).lower() if named else number
        raise NoCounterpartError(f"a case has no elements of {name}")
    return _NAMES[number]
