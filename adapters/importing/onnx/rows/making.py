"""Operators whose results depend on sizes, attributes and known numbers alone."""

from __future__ import annotations

import numpy as np

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.reading import array_of
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.types import element_dtype
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value, bounded, dtype_name

LARGE = 1 << 12  # elements: what is larger is made by a call, so that a case stays small


@row("Constant")
def constant(b: Builder, node: Node) -> Results:
    if node.has("value"):
        array = array_of(node.attribute("value"), None)
        return b.known(array, dtype_name(array.dtype))
    for name, dtype in (("value_float", "f32"), ("value_floats", "f32"), ("value_int", "i64"), ("value_ints", "i64")):
        if node.has(name):
            return b.known(node.attribute(name), dtype)
    raise NoCounterpartError("a constant of strings or of sparse data")


@row("Shape")
def shape(b: Builder, node: Node) -> Results:
    start, end = node.integer("start", 0), node.integer("end", node.x.rank)
    return b.integers(np.array(node.x.shape[start:end], dtype=np.int64))


@row("Size")
def size(b: Builder, node: Node) -> Results:
    return b.integers(node.x.numel)


@row("ConstantOfShape")
def constant_of_shape(b: Builder, node: Node) -> Results:
    sizes = b.ints(node.x, "a size")
    given = node.attribute("value")
    element = np.zeros(1, dtype=np.float32) if given is None else array_of(given, None)
    dtype = dtype_name(element.dtype)
    if np.prod(sizes, dtype=np.int64) > LARGE:
        return b.full(sizes, element.reshape(-1)[0].item(), dtype)
    return b.known(np.full(sizes, element.reshape(-1)[0]), dtype)


@row("EyeLike")
def eye_like(b: Builder, node: Node) -> Results:
    number = node.integer("dtype", 0)
    dtype = element_dtype(number) if number else node.x.dtype
    bounded(node.x.numel)
    return b.known(np.eye(*node.x.shape, k=node.integer("k", 0)), dtype)


@row("Range")
def arange(b: Builder, node: Node) -> Results:
    start, limit, delta = (b.array(node.operand(i), "a bound of a range").reshape(()) for i in range(3))
    dtype = node.x.dtype
    first, step = start.item(), delta.item()
    if step == 0:
        raise NoCounterpartError("a range of steps of 0")
    count = bounded(max(int(np.ceil((limit.item() - first) / step)), 0))
    if not node.x.is_float:
        return b.known(first + step * np.arange(count), dtype)
    steps = b.cast(b.integers(np.arange(count)), dtype)
    return b.add(b.mul(steps, b.known(step, dtype)), b.known(first, dtype))


@row("HannWindow", "HammingWindow", "BlackmanWindow")
def window(b: Builder, node: Node) -> Results:
    length = bounded(b.array(node.x, "a size").item())
    dtype = element_dtype(node.integer("output_datatype", 1))
    span = length if node.flag("periodic", True) else length - 1
    terms = {"HannWindow": (0.5, 0.5), "HammingWindow": (25 / 46, 21 / 46), "BlackmanWindow": (0.42, 0.5, 0.08)}
    turns = 2 * np.pi / max(span, 1)
    made: Value | None = None
    for i, factor in enumerate(terms[node.kind][1:], 1):
        angle = b.mul(b.cast(b.integers(np.arange(length)), "f64"), i * turns)
        term = b.mul(b.unary("cos", angle), factor * (-1) ** i)
        made = term if made is None else b.add(made, term)
    assert made is not None
    return b.cast(b.add(made, terms[node.kind][0]), dtype)
