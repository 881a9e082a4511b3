"""Builds an ONNX graph node by node. Every value knows its dtype and its sizes.

Operator set 20 is the first in which Gelu, GridSample of volumes and ReduceMax of bool are all there; IR version 9 goes
with it, so that runtimes of two years ago read the models too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import isfinite, prod
from typing import Any

import numpy as np

from adapters.worker.arrays import DTYPES, Array
from adapters.worker.system import UnsupportedError

OPSET = 20
IR_VERSION = 9
RENAMED = {"GridSample"}  # its `mode` has other values before operator set 20, which onnx's checker does not look at

# TensorProto.DataType of onnx.proto.
ONNX_DTYPES = {
    "f32": 1, "u8": 2, "i8": 3, "i16": 5, "i32": 6, "i64": 7, "bool": 9, "f16": 10, "f64": 11, "bf16": 16,
}  # fmt: skip

Sizes = tuple[int, ...]
Node = tuple[str, list[str], list[str], dict[str, Any]]  # kind, operands, results, attributes


@dataclass(frozen=True)
class Value:
    """A value of the ONNX graph."""

    name: str
    dtype: str
    shape: Sizes

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def numel(self) -> int:
        return prod(self.shape)


def reduced_sizes(sizes: Sequence[int], dims: Collection[int], keepdim: bool) -> list[int]:
    """Those of a reduction over these dims, none of them negative."""
    return [1 if d in dims else n for d, n in enumerate(sizes) if keepdim or d not in dims]


def broadcast(*shapes: Sequence[int]) -> Sizes:
    try:
        return tuple(np.broadcast_shapes(*map(tuple, shapes)))
    except ValueError as error:
        raise UnsupportedError(f"the operands do not broadcast: {error}") from error


def keeps(dtype: str, *attributes: float) -> bool:
    """Whether a node of this dtype computes with these numbers: a float attribute is an f32."""
    return dtype != "f64" or all(not isfinite(one) or float(np.float32(one)) == one for one in attributes)


class Graph:
    """Nodes, initializers, inputs and outputs, in the order they were written.

    With `keep_all` nothing is left out because of what sizes happen to be: no reshape to the sizes that are there, and
    equal constants stay apart. The graph of a branch or a loop is an attribute of a node of its `parent`, and no name
    of a model is used twice.
    """

    def __init__(self, keep_all: bool = False, parent: Graph | None = None) -> None:
        self._keep_all = keep_all
        self._parent = parent
        self._numbers: Iterator[int] = count(1) if parent is None else parent._numbers
        self.opset = OPSET  # the operator set that the model names
        self.subgraphs: list[Graph] = []
        self.nodes: list[Node] = []
        self.dims: dict[str, tuple[int | str, ...]] = {}  # of inputs and outputs, where some have names
        self.inputs: list[Value] = []
        self.outputs: list[Value] = []
        self.made: list[Value] = []  # by nodes
        self.initializers: dict[str, Array] = {}
        self._constants: dict[tuple[str, Sizes, bytes], Value] = {}
        self.ranges: dict[str, tuple[int, int]] = {}  # of values that are clamped, by name
        self.singles: dict[str, Value] = {}  # by the names of f64 values that were cast from f32: those

    def fresh_name(self) -> str:
        return f"t.{next(self._numbers)}"  # a dot: no name of the case has one

    def subgraph(self) -> Graph:
        """A graph for an attribute of one of this graph's nodes. It may read this graph's values by their names."""
        self.subgraphs.append(Graph(self._keep_all, self))
        return self.subgraphs[-1]

    def input(self, name: str, dtype: str, shape: Sequence[int]) -> Value:
        self.inputs.append(Value(name, dtype, tuple(shape)))
        return self.inputs[-1]

    def initializer(self, name: str, array: Array, dtype: str) -> Value:
        self.initializers[name] = array
        return Value(name, dtype, array.shape)

    def constant(self, data: Any, dtype: str) -> Value:
        """An initializer of these elements; equal ones are one."""
        with np.errstate(over="ignore", invalid="ignore"):
            array = np.asarray(data).astype(DTYPES[dtype])
        if self._keep_all:
            return self.initializer(f"c.{len(self.initializers)}", array, dtype)
        key = (dtype, array.shape, array.tobytes())
        if key not in self._constants:
            name = self.fresh_name() if self._parent else f"c.{len(self._constants)}"
            self._constants[key] = self.initializer(name, array, dtype)
        return self._constants[key]

    def integers(self, numbers: Sequence[int]) -> Value:
        return self.constant(np.array(list(numbers), dtype=np.int64), "i64")

    def number(self, number: float, dtype: str) -> Value:
        """A 0-d constant, wrapped as PyTorch wraps an integer into a narrower dtype."""
        if isinstance(number, int) and not isinstance(number, bool) and np.issubdtype(DTYPES[dtype], np.integer):
            bits = 8 * DTYPES[dtype].itemsize
            return self.constant(np.array(number % 2**bits, dtype=np.uint64).astype(DTYPES[dtype]), dtype)
        return self.constant(number, dtype)

    def known(self, value: Value) -> Array | None:
        """The elements, if the value is an initializer here or in a graph around this one."""
        found = self.initializers.get(value.name)
        return self._parent.known(value) if found is None and self._parent else found

    def holds_empty(self, constants: Iterable[Array]) -> bool:
        """Whether an input, what a node makes or one of these constants, lists of sizes aside, has no elements."""
        return (
            any(value.numel == 0 for value in [*self.inputs, *self.made])
            or any(array.size == 0 and array.dtype == np.float32 for array in constants)
            or any(one.holds_empty(one.initializers.values()) for one in self.subgraphs)
        )

    def kinds(self) -> set[str]:
        """The operators of its nodes, and of those in its subgraphs."""
        return {kind for kind, *_ in self.nodes}.union(*(one.kinds() for one in self.subgraphs))

    def results(
        self,
        kind: str,
        operands: Sequence[Value | None],
        results: Sequence[tuple[str, Sequence[int]]],
        **attributes: Any,
    ) -> list[Value]:
        """A node with several results of these dtypes and sizes."""
        for name, number in attributes.items():
            if isinstance(number, float) and not all(keeps(dtype, number) for dtype, _ in results):
                raise UnsupportedError(f"{kind} of f64 has {name}, {number}, as an f32")
        made = [Value(self.fresh_name(), dtype, tuple(shape)) for dtype, shape in results]
        self.made += made
        names = [operand.name if operand else "" for operand in operands]
        while names and not names[-1]:
            names.pop()
        self.nodes.append((kind, names, [value.name for value in made], attributes))
        return made

    def op(
        self,
        kind: str,
        *operands: Value | None,
        dtype: str | None = None,
        shape: Sequence[int] | None = None,
        **attributes: Any,
    ) -> Value:
        """A node with one result: of the first operand's dtype, of the sizes that all operands broadcast to."""
        given = [operand for operand in operands if operand is not None]
        sizes = broadcast(*(operand.shape for operand in given)) if shape is None else shape
        return self.results(kind, operands, [(dtype or given[0].dtype, sizes)], **attributes)[0]

    # What nearly every translation needs.

    def cast(self, value: Value, dtype: str) -> Value:
        return value if value.dtype == dtype else self.op("Cast", value, dtype=dtype, to=ONNX_DTYPES[dtype])

    def identity(self, value: Value) -> Value:
        return self.op("Identity", value)

    def reshape(self, value: Value, shape: Sequence[int]) -> Value:
        if tuple(shape) == value.shape and not self._keep_all:
            return value
        return self.op("Reshape", value, self.integers(shape), shape=shape, allowzero=self.allowzero(shape))

    def allowzero(self, shape: Sequence[int]) -> int:
        """Of a Reshape: with it a 0 is a size; without it 0 would mean "as in the operand"."""
        return int(self._keep_all or 0 in shape)

    def flat(self, value: Value) -> Value:
        return self.reshape(value, (value.numel,))

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        if not order:  # an empty attribute has no type that onnx.helper could tell
            return self.identity(value)
        return self.op("Transpose", value, shape=[value.shape[d] for d in order], perm=list(order))

    def slice(self, value: Value, dim: int, start: int, stop: int, step: int = 1) -> Value:
        shape = list(value.shape)
        shape[dim] = len(range(start, stop, step))
        bounds = (self.integers([number]) for number in (start, stop, dim, step))
        return self.op("Slice", value, *bounds, shape=shape)

    def concat(self, parts: Sequence[Value], dim: int) -> Value:
        shape = list(parts[0].shape)
        shape[dim] = sum(part.shape[dim] for part in parts)
        return self.op("Concat", *parts, shape=shape, axis=dim)

    def split(self, value: Value, dim: int, sizes: Sequence[int]) -> list[Value]:
        shapes = [(*value.shape[:dim], size, *value.shape[dim + 1 :]) for size in sizes]
        made = [(value.dtype, shape) for shape in shapes]
        return self.results("Split", [value, self.integers(sizes)], made, axis=dim)

    def expand(self, value: Value, shape: Sequence[int]) -> Value:
        if tuple(shape) == value.shape and not self._keep_all:
            return value
        return self.op("Expand", value, self.integers(shape), shape=shape)

    def unsqueeze(self, value: Value, dim: int) -> Value:
        return self.op("Unsqueeze", value, self.integers([dim]), shape=(*value.shape[:dim], 1, *value.shape[dim:]))

    def squeeze(self, value: Value, dims: Sequence[int]) -> Value:
        if not dims:
            return value
        shape = [size for dim, size in enumerate(value.shape) if dim not in dims]
        return self.op("Squeeze", value, self.integers(dims), shape=shape)

    def gather(self, value: Value, indices: Value, dim: int) -> Value:
        shape = (*value.shape[:dim], *indices.shape, *value.shape[dim + 1 :])
        return self.op("Gather", value, indices, shape=shape, axis=dim)

    def where(self, condition: Value, a: Value, b: Value) -> Value:
        """Where, of both operands' dtype; of i32 or f32 for those that runtimes leave out."""
        carrier = "f32" if a.dtype in ("f16", "bf16") else carried(a.dtype)
        made = self.op("Where", condition, self.cast(a, carrier), self.cast(b, carrier), dtype=carrier)
        return self.cast(made, a.dtype)

    def reduce(self, kind: str, value: Value, dims: Sequence[int], keepdim: bool) -> Value:
        """A Reduce… over these dims; over none it is the operand."""
        if kind == "ReduceMean" and any(value.shape[d] == 0 for d in dims):
            raise UnsupportedError("ONNX leaves open what the mean of no elements is")
        shape = reduced_sizes(value.shape, dims, keepdim)
        axes = self.integers(dims)
        # Of one element, over all: whether the absolute value in a norm is then left out too, ONNX said only in 2025.
        over_all = not value.shape and kind in ("ReduceL1", "ReduceL2", "ReduceLogSumExp")
        return self.op(kind, value, axes, shape=shape, keepdims=int(keepdim), noop_with_empty_axes=int(not over_all))

    def output(self, value: Value) -> None:
        """Names a value an output; one that is an output already gets an Identity, because names are unique."""
        taken = value.name in {output.name for output in self.outputs}
        self.outputs.append(self.identity(value) if taken else value)

    def own_output(self, value: Value) -> None:
        """The same of a subgraph, whose outputs are made by nodes of its own."""
        made = any(value.name == one.name for one in self.made)
        self.output(value if made else self.identity(value))

    def rename(self, names: Mapping[str, str]) -> None:
        """Has nodes read other values, those of subgraphs too."""
        for place, (kind, operands, results, attributes) in enumerate(self.nodes):
            self.nodes[place] = (kind, [names.get(name, name) for name in operands], results, attributes)
        for one in self.subgraphs:
            one.rename(names)

    def serialize(self) -> bytes:
        return self.model().SerializeToString()

    def model(self) -> Any:
        """The onnx.ModelProto. UnsupportedError where its operator set is an older one that cannot say the model."""
        from onnx import checker, helper  # only here and below, so that the tables of ops can be read without onnx

        opset = [helper.make_operatorsetid("", self.opset)]
        made = helper.make_model(
            self.proto("case"), opset_imports=opset, ir_version=IR_VERSION, producer_name="parallax"
        )
        if self.opset != OPSET:
            if RENAMED & self.kinds():
                raise UnsupportedError(f"operator set {self.opset} has other names for the modes of GridSample")
            try:
                checker.check_model(made, full_check=True)
            except Exception as error:  # the checker's own and those of its inference share no class
                reason = str(error).strip().splitlines()[0]
                raise UnsupportedError(f"operator set {self.opset} cannot say this model: {reason}") from error
        return made

    def proto(self, name: str) -> Any:
        """The onnx.GraphProto."""
        from onnx import helper, numpy_helper

        def info(value: Value) -> Any:
            return helper.make_tensor_value_info(
                value.name, ONNX_DTYPES[value.dtype], self.dims.get(value.name, value.shape)
            )

        def node(kind: str, operands: list[str], results: list[str], attributes: dict[str, Any]) -> Any:
            given = {key: one.proto(key) if isinstance(one, Graph) else one for key, one in attributes.items()}
            return helper.make_node(kind, operands, results, **given)

        outputs = {value.name for value in self.outputs}
        return helper.make_graph(
            [node(*one) for one in self.nodes],
            name,
            [info(value) for value in self.inputs],
            [info(value) for value in self.outputs],
            [numpy_helper.from_array(array, one) for one, array in self.initializers.items()],
            # IREE's importer needs it. Where sizes change, it is for the runtime to say what they are.
            value_info=[] if self.dims else [info(value) for value in self.made if value.name not in outputs],
        )


def carried(dtype: str) -> str:
    """What is computed in: i32 for bool and the narrow integers, whose arithmetic few runtimes have.

    Nothing is lost: ONNX's Cast to a narrower integer drops the high bits, as PyTorch's arithmetic wraps.
    """
    return "i32" if dtype in ("bool", "u8", "i8", "i16") else dtype
