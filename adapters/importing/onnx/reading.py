"""Reads a model's file: what is truncated, too large, or keeps its weights out of reach is one line that says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx.inliner
import onnx.numpy_helper
from google.protobuf.message import DecodeError

from adapters.importing.onnx.types import element_dtype
from adapters.importing.onnx.values import NoCounterpartError
from adapters.worker.arrays import DTYPES, Array

# protobuf reads no message of 2 GiB; weights beyond that make a case that nothing reads either.
LARGEST = 2**31 - 1


def read_model(path: Path) -> onnx.ModelProto:
    """The model, with its functions inlined and its external data left where it is."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise NoCounterpartError(f"{size} bytes, and an ONNX file has less than 2 GiB: keep the weights beside it")
        model = onnx.load_from_string(path.read_bytes())
    except OSError as error:
        raise NoCounterpartError(f"cannot be read: {error.strerror}") from error
    except DecodeError as error:
        raise NoCounterpartError("cannot be read: this is no ONNX model, or not the whole of one") from error
    if not model.ir_version:  # protobuf reads many a file that is none as a model without anything in it
        raise NoCounterpartError("this is no ONNX model")
    if not model.graph.output or not model.opset_import:
        raise NoCounterpartError("the model has no graph or no operator set: is this the whole of the file?")
    _check_names(model.graph)
    if model.functions:
        try:
            model = onnx.inliner.inline_local_functions(model)
        except Exception as error:  # of the library's C++ part, which checks that functions end
            text = " ".join(str(error).split())[:160]
            raise NoCounterpartError(f"its functions cannot be inlined: {text}") from error
    return model


def _check_names(graph: onnx.GraphProto) -> None:
    """protobuf hands over text that is no UTF-8 as bytes."""
    names: list[object] = [one.name for one in (*graph.input, *graph.output, *graph.initializer)]
    for node in graph.node:
        names += [node.name, node.op_type, node.domain, *node.input, *node.output]
        for attribute in node.attribute:
            names.append(attribute.name)
            for inner in [*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])]:
                _check_names(inner)
    if not all(isinstance(name, str) for name in names):
        raise NoCounterpartError("cannot be read: a name in it is no text")


def initializers(graph: onnx.GraphProto, folder: Path) -> dict[str, Array]:
    """The arrays of a graph's initializers."""
    if graph.sparse_initializer:
        raise NoCounterpartError(f"initializer {graph.sparse_initializer[0].values.name!r} is sparse")
    total, found = 0, {}
    for tensor in graph.initializer:
        try:
            dtype = element_dtype(tensor.data_type)
            total += int(np.prod(list(tensor.dims), dtype=np.float64)) * DTYPES[dtype].itemsize
            if total > LARGEST:
                raise NoCounterpartError("with it the weights have more than 2 GiB")
            found[tensor.name] = array_of(tensor, folder)
        except NoCounterpartError as error:
            raise NoCounterpartError(f"initializer {tensor.name!r}: {error}") from error
    return found


def array_of(tensor: onnx.TensorProto, folder: Path | None) -> Array:
    """A tensor's elements. `folder` is where its external data may lie; without it there may be none."""
    dtype = DTYPES[element_dtype(tensor.data_type)]
    try:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            return _external(tensor, dtype, folder)
        return onnx.numpy_helper.to_array(tensor).astype(dtype)
    except (ValueError, TypeError) as error:
        raise NoCounterpartError(f"its data do not make up {list(tensor.dims)}") from error


def _external(tensor: onnx.TensorProto, dtype: np.dtype, folder: Path | None) -> Array:
    facts = {entry.key: entry.value for entry in tensor.external_data}
    location = facts.get("location", "")
    if folder is None:
        raise NoCounterpartError("a constant of a node has external data")
    root = folder.resolve()
    path = (root / location).resolve()  # through links, which may lead out of the folder
    if not location or Path(location).is_absolute() or not path.is_relative_to(root):
        raise NoCounterpartError(f"its data lie in {location!r}, outside the model's folder")
    if not path.is_file():
        raise NoCounterpartError(f"its data lie in {location!r}, which is not there")
    count = int(np.prod(list(tensor.dims), dtype=np.int64))
    offset, bytes_ = int(facts.get("offset", 0)), count * dtype.itemsize
    length = int(facts.get("length", bytes_))
    if min(offset, *tensor.dims, 0) < 0 or length != bytes_ or offset + bytes_ > path.stat().st_size:
        raise NoCounterpartError(f"{location!r} has not the {bytes_} bytes that it takes from {offset} on")
    return np.fromfile(path, dtype=dtype, count=count, offset=offset).reshape(tuple(tensor.dims))
