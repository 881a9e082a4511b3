"""Functionalization: a case's tensors share storages and are written to; ONNX's values are made once and stay.

A storage has a root value, made anew by each write. A tensor is the root, or a view: its parent and the nodes that
make the one from the other. Reading a tensor whose storage was written since writes those nodes once more; writing to
one makes its parent anew, up to the root, by the inverse nodes (Reshape, Transpose, Concat) or else by scattering into
the root.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adapters.onnx.graph import Graph, Value
from adapters.onnx.layouts import Layout, contiguous
from adapters.worker.system import UnsupportedError


@dataclass(frozen=True)
class Link:
    """How a view is made from its parent, and the parent from a written view. Without an inverse, writes scatter."""

    forward: Callable[[Value], Value]
    backward: Callable[[Callable[[], Value], Value], Value] | None = None  # of the parent (if asked for), the view


@dataclass
class Storage:
    root: Value
    layout: Layout  # of the root
    certain: bool = True  # whether the layout is surely eager's
    version: int = 0


@dataclass
class Tensor:
    """A tensor of the case at one place: a storage under a layout."""

    storage: Storage
    layout: Layout
    parent: Tensor | None = None
    link: Link | None = None
    made: Value | None = None  # at `version`
    version: int = 0

    @property
    def dtype(self) -> str:
        return self.storage.root.dtype

    def certain_layout(self) -> Layout:
        """The layout, where values depend on it, or whether memory that is written to is shared."""
        if not self.storage.certain:
            raise UnsupportedError("what is a view here depends on strides that the writer does not follow")
        return self.layout


@dataclass
class Reference:
    """What a name of the case stands for. Names of one tensor object (relu_ returns its operand's) share it."""

    tensor: Tensor


class Memory:
    """`writes`: whether a node of the case may write to the memory of what is made now. Where none does, a view and its
    copy are alike."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.writes = True

    def fresh(self, value: Value, layout: Layout | None = None, certain: bool = True) -> Tensor:
        """A tensor with a storage of its own."""
        layout = layout or contiguous(value.shape)
        return Tensor(Storage(value, layout, certain), layout, made=value)

    def read(self, tensor: Tensor) -> Value:
        if tensor.made is None or tensor.version != tensor.storage.version:
            if tensor.parent is None:
                tensor.made = tensor.storage.root
            else:
                assert tensor.link is not None
                tensor.made = tensor.link.forward(self.read(tensor.parent))
            tensor.version = tensor.storage.version
        return tensor.made

    def is_alike(self, tensor: Tensor) -> bool:
        """Whether a view of it need not be told from a copy, and its strides are not known either."""
        return not self.writes and not tensor.storage.certain

    def view(self, parent: Tensor, layout: Layout, link: Link, made: Value | None = None) -> Tensor:
        """A view, its nodes written at once even if nothing reads it (or given, where one node makes several)."""
        made = made or link.forward(self.read(parent))
        assert made.shape == layout.sizes, f"{made.shape} for a view of {layout.sizes}"
        return Tensor(parent.storage, layout, parent, link, made, parent.storage.version)

    def strided(self, tensor: Tensor, layout: Layout) -> Tensor:
        """A view of the tensor's storage, wherever the tensor itself lies in it."""
        tensor.certain_layout()
        storage = tensor.storage
        root = Tensor(storage, storage.layout, made=storage.root, version=storage.version)
        if layout.numel and layout.extent() > storage.layout.extent():
            raise UnsupportedError("a view passes the end of what is known of its storage")
        return self.view(root, layout, Link(lambda value: self._pick(value, storage.layout, layout)))

    def write(self, tensor: Tensor, value: Value) -> None:
        """The tensor's elements become the value's; all views of the storage see it."""
        assert value.dtype == tensor.dtype and value.shape == tensor.layout.sizes
        storage = tensor.storage
        if tensor.layout.numel == 0:
            return
        chain = list(self._chain(tensor))
        if all(view.link and view.link.backward for view in chain):
            new = value
            for view in chain:
                assert view.link and view.link.backward and view.parent
                parent = view.parent
                new = view.link.backward(lambda parent=parent: self.read(parent), new)
            storage.root = new
        else:
            storage.root = self._scatter(storage, tensor.layout, value)
        storage.version += 1
        tensor.made, tensor.version = value, storage.version

    def _chain(self, tensor: Tensor) -> Any:
        while tensor.parent is not None:
            yield tensor
            tensor = tensor.parent

    def _scatter(self, storage: Storage, layout: Layout, value: Value) -> Value:
        graph = self.graph
        places = indices_in(storage.layout, layout).reshape(-1)
        if len(np.unique(places)) != len(places):
            raise UnsupportedError("a write to a tensor that overlaps itself")
        root = graph.flat(storage.root)
        indices = graph.constant(places, "i64")
        new = graph.op("ScatterElements", root, indices, graph.flat(value), shape=root.shape, axis=0)
        return graph.reshape(new, storage.root.shape)

    def _pick(self, root: Value, root_layout: Layout, layout: Layout) -> Value:
        graph = self.graph
        places = indices_in(root_layout, layout)
        flat = graph.flat(root)
        if layout.numel and layout.is_contiguous() and (np.diff(places.reshape(-1)) == 1).all():
            begin = int(places.reshape(-1)[0])
            return graph.reshape(graph.slice(flat, 0, begin, begin + layout.numel), layout.sizes)
        if places.size == root.numel and layout.is_dense() and sorted(places.reshape(-1)) == list(range(root.numel)):
            order = sorted(range(layout.rank), key=lambda d: (-layout.strides[d], d))
            packed = np.arange(root.numel).reshape([layout.sizes[d] for d in order])
            back = [order.index(d) for d in range(layout.rank)]
            if (packed.transpose(back) == places).all():
                return graph.transpose(graph.reshape(flat, packed.shape), back)
        return graph.gather(flat, graph.constant(places, "i64"), 0)


def indices_in(root: Layout, layout: Layout) -> np.ndarray:
    """The place among the root's elements, row-major, of each of the layout's."""
    if layout.numel == 0:
        return np.zeros(layout.sizes, dtype=np.int64)
    inverse = np.full(max(root.extent(), 1), -1, dtype=np.int64)
    inverse[root.elements().reshape(-1)] = np.arange(root.numel)
    found = inverse[layout.elements()]
    if (found < 0).any():
        raise UnsupportedError("a view reaches memory between the elements of its storage")
    return found
