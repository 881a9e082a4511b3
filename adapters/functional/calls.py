"""A written graph (adapters/onnx/writer.py) as calls of an array library: one row of a table for each operator.

The writer has made values of what the case writes in place, and views of what shares memory. What is left is a list
of pure operators, each of which a row spells in the library's functions. No library is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adapters.onnx.graph import Graph, Sizes
from adapters.worker.arrays import NAMES, Array
from adapters.worker.system import UnsupportedError

Tensor = Any  # what the library computes with


@dataclass(frozen=True)
class Library:
    """What the rows of every library need of it."""

    np: Any  # the functions that have numpy's names and meaning
    constant: Callable[[Array], Tensor]
    cast: Callable[[Tensor, str], Tensor]  # to a dtype of ours


@dataclass(frozen=True)
class Call:
    """One operator of the graph: its operands, its attributes, and what is known of its results."""

    lib: Library
    kind: str
    operands: list[Tensor | None]
    constants: list[Array | None]  # an operand's elements, where the graph has them
    shapes: list[Sizes]  # of the operands
    dtypes: list[str]  # of the operands
    attributes: dict[str, Any]
    results: list[tuple[str, Sizes]]

    @property
    def np(self) -> Any:
        return self.lib.np

    @property
    def x(self) -> Tensor:
        return self.operands[0]

    @property
    def rank(self) -> int:
        """Of the first operand."""
        return len(self.shapes[0])

    @property
    def shape(self) -> Sizes:
        """Of the first result."""
        return self.results[0][1]

    @property
    def dtype(self) -> str:
        """Of the first result."""
        return self.results[0][0]

    def has(self, place: int) -> bool:
        return place < len(self.operands) and self.operands[place] is not None

    def numbers(self, place: int) -> list[int]:
        """The elements of an operand that says sizes, dims or bounds."""
        found = self.constants[place]
        if found is None:
            raise UnsupportedError(f"operand {place} of {self.kind} is known only at run time")
        return [int(number) for number in found.reshape(-1)]

    def get(self, name: str, default: Any = None) -> Any:
        return self.attributes.get(name, default)

    def number(self, number: float) -> Tensor:
        """A 0-d tensor of the first operand's dtype."""
        return self.lib.cast(self.lib.constant(np.array(number)), self.dtypes[0])


Row = Callable[[Call], Any]
Table = dict[str, Row]


def into(table: Table) -> Callable[..., Callable[[Row], Row]]:
    """The decorator that puts a row there, under these operators' names."""

    def row(*kinds: str) -> Callable[[Row], Row]:
        def put(call: Row) -> Row:
            for kind in kinds:
                table[kind] = call
            return call

        return put

    return row


def evaluate(library: Library, table: Table, graph: Graph, inputs: Sequence[Tensor]) -> list[Tensor]:
    """The graph's outputs. Called once where the library traces."""
    known = {value.name: value for value in [*graph.inputs, *graph.made]}
    tensors: dict[str, Tensor] = {value.name: given for value, given in zip(graph.inputs, inputs, strict=True)}

    def tensor(name: str) -> Tensor | None:
        if name and name not in tensors:
            tensors[name] = library.constant(graph.initializers[name])
        return tensors[name] if name else None

    for kind, operands, results, attributes in graph.nodes:
        row = table.get(kind)
        if row is None:
            raise UnsupportedError(f"no row spells {kind} in this library's functions")
        if attributes.get("ceil_mode"):
            raise UnsupportedError("a pool with ceil_mode, whose last window reaches beyond the tensor")
        constants = [graph.initializers.get(name) for name in operands]
        described = [known.get(name) for name in operands]
        made = row(
            Call(
                library,
                kind,
                [tensor(name) for name in operands],
                constants,
                [_shape(value, array) for value, array in zip(described, constants, strict=True)],
                [value.dtype if value else _dtype(array) for value, array in zip(described, constants, strict=True)],
                attributes,
                [(known[name].dtype, known[name].shape) for name in results],
            )
        )
        tensors.update(zip(results, made if isinstance(made, list) else [made], strict=True))
    return [tensor(value.name) for value in graph.outputs]


def _shape(value: Any, array: Array | None) -> Sizes:
    return value.shape if value else array.shape if array is not None else ()


def _dtype(array: Array | None) -> str:
    return NAMES[array.dtype] if array is not None else ""
