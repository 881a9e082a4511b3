"""A case as a network of ncnn, by way of the ONNX graph that onnx/writer.py makes of it.

That graph has no views and no writes left, and its operators are few: TRANSLATIONS has a function for each operator
that ncnn's layers can express (pointwise.py … fill it). It gets a Node and gives a blob, or several. ncnn computes
in f32 alone; operands that say how (axes, sizes, indices) must be known when the network is written.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adapters.ncnn.net import Blob, Files, Net
from adapters.onnx.graph import Graph
from adapters.worker.arrays import DTYPES, Array
from adapters.worker.system import UnsupportedError

Results = Blob | list[Blob]


@dataclass(frozen=True)
class Node:
    """A node of the ONNX graph, as a translation sees it."""

    kind: str
    net: Net
    operands: tuple[str, ...]  # "" where an optional one is left out
    shapes: tuple[tuple[int, ...], ...]  # of the operands
    results: tuple[tuple[int, ...], ...]  # their sizes
    attributes: dict[str, Any]
    _writer: _Writer

    @property
    def shape(self) -> tuple[int, ...]:
        """The first result's sizes."""
        return self.results[0]

    @property
    def rank(self) -> int:
        """The first operand's."""
        return len(self.shapes[0])

    def has(self, index: int) -> bool:
        return index < len(self.operands) and self.operands[index] != ""

    def blob(self, index: int = 0) -> Blob:
        return self._writer.blob(self.operands[index])

    def constant(self, index: int) -> Array | None:
        """The operand's elements, if they are known."""
        return self._writer.graph.initializers.get(self.operands[index])

    def number(self, index: int) -> float | None:
        """The operand's only element, if it is known."""
        known = self.constant(index)
        return float(known.reshape(-1)[0]) if known is not None and known.size == 1 else None

    def integers(self, index: int) -> list[int]:
        """The operand's elements, which are axes, sizes or indices."""
        known = self.constant(index)
        if known is None:
            raise UnsupportedError(f"{self.kind} of what is known only at run time")
        return [int(n) for n in known.reshape(-1)]

    def refuse(self, what: str) -> UnsupportedError:
        return UnsupportedError(f"{self.kind}: {what}")


Translation = Callable[[Node], Results]
TRANSLATIONS: dict[str, Translation] = {}


def translation(*kinds: str) -> Callable[[Translation], Translation]:
    """Registers a function for these operators of ONNX."""

    def register(call: Translation) -> Translation:
        for kind in kinds:
            TRANSLATIONS[kind] = call
        return call

    return register


def write_net(graph: Graph) -> Files:
    """The network of an ONNX graph, or UnsupportedError. Its inputs and outputs are the graph's, in order."""
    return _Writer(graph).files


class _Writer:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.net = Net()
        self.blobs: dict[str, Blob] = {}
        self._values = {value.name: value for value in [*graph.inputs, *graph.made]}
        read = _read(graph)
        for value in graph.inputs:
            self._check_dtype(value.dtype)
            self.blobs[value.name] = self.net.input(value.shape)
        for kind, operands, results, attributes in graph.nodes:
            if not read & set(results):
                continue  # an Extractor would not run it either
            if kind not in TRANSLATIONS:
                raise UnsupportedError(f"ncnn has no layer for ONNX's {kind}")
            self._check_dtype(self._values[results[0]].dtype)
            shapes = tuple(self._shape(name) for name in operands)
            made = tuple(self._values[name].shape for name in results)
            node = Node(kind, self.net, tuple(operands), shapes, made, attributes, self)
            blobs = TRANSLATIONS[kind](node)
            blobs = blobs if isinstance(blobs, list) else [blobs]
            if any(name in read for name in results[len(blobs) :]):
                raise UnsupportedError(f"ncnn gives no further results of ONNX's {kind}")
            for name, blob in zip(results, blobs, strict=False):
                assert blob.shape == (self._shape(name) or (1,)), f"{kind}: {blob.shape} for {self._shape(name)}"
                self.blobs[name] = blob
        self.files = self.net.finish([self.blob(value.name) for value in graph.outputs])

    def _shape(self, name: str) -> tuple[int, ...]:
        if not name:
            return ()
        known = self.graph.initializers.get(name)
        return self._values[name].shape if known is None else known.shape

    def _check_dtype(self, dtype: str) -> None:
        if dtype != "f32":
            raise UnsupportedError(f"ncnn computes in f32, not in {dtype}")

    def blob(self, name: str) -> Blob:
        """The blob of a value; a constant becomes one when it is first read as one."""
        if name not in self.blobs:
            known = self.graph.initializers[name]
            if known.dtype != DTYPES["f32"]:
                raise UnsupportedError(f"ncnn computes in f32, not in {known.dtype}")
            self.blobs[name] = self.net.constant(known)
        return self.blobs[name]


def _read(graph: Graph) -> set[str]:
    """The values that lead to an output."""
    read = {value.name for value in graph.outputs}
    for _, operands, results, _ in reversed(graph.nodes):
        if read & set(results):
            read |= set(operands)
    return read


def sizes_of(shape: Sequence[int]) -> tuple[int, ...]:
    """Those of the blob that stands for a tensor of these sizes."""
    return tuple(shape) or (1,)


def per_sample(node: Node, x: Blob, run: Callable[[Blob], Blob]) -> Blob:
    """Applies a layer that knows no batch to each part of the first dim, and joins what comes out."""
    rows = x.shape[0]
    parts = [x] if rows == 1 else node.net.layers_of(
        "Slice", [x], [(1, *x.shape[1:])] * rows, {0: [1] * rows, 1: 0}
    )  # fmt: skip
    made = [run(node.net.reshape(part, x.shape[1:])) for part in parts]
    return node.net.concat([node.net.reshape(one, (1, *one.shape)) for one in made], 0)


def known_f32(array: Array) -> Array:
    return np.ascontiguousarray(array, dtype=np.float32)
