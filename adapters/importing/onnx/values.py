"""A case's graph in the making: values that know dtype and sizes, and the ATen calls that make them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Any

import numpy as np

from adapters.worker.arrays import DTYPES, FLOATS, NAMES, Array, decode, encode
from adapters.worker.one_answer import RefusedError
from adapters.worker.system import Json

Sizes = tuple[int, ...]


class NoCounterpartError(RefusedError):
    """What the model has that no ATen call expresses."""


class NotKnownError(NoCounterpartError):
    """An operand that a case has as a number is computed, from these inputs of the model."""

    def __init__(self, message: str, roots: frozenset[str]) -> None:
        super().__init__(message)
        self.roots = roots


@dataclass(frozen=True)
class Value:
    """What stands for an ONNX value. One whose elements are known becomes a constant when a call first takes it."""

    name: str
    dtype: str
    shape: Sizes
    array: Array | None = field(default=None, compare=False, repr=False)
    roots: frozenset[str] = frozenset()  # the model's inputs that it depends on

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def numel(self) -> int:
        return prod(self.shape)

    @property
    def is_float(self) -> bool:
        return self.dtype in FLOATS


def values_in(argument: Any) -> list[Value]:
    """The values among the arguments, in order."""
    if isinstance(argument, Value):
        return [argument]
    if isinstance(argument, list | tuple):
        return [value for element in argument for value in values_in(element)]
    return []


def broadcast(*shapes: Sequence[int]) -> Sizes:
    try:
        return tuple(int(size) for size in np.broadcast_shapes(*map(tuple, shapes)))
    except ValueError as error:
        raise NoCounterpartError(f"the operands do not broadcast: {error}") from error


MOST_ELEMENTS = 1 << 24  # of a constant that the importer makes: a model's few bytes may ask for any number


MOST_CALLS = 50_000
NO_ATEN = ("getitem", "cond", "while_loop", "scan")
LARGEST_INPUT = 1 << 25  # elements


def bounded(count: int) -> int:
    if count > MOST_ELEMENTS:
        raise NoCounterpartError(f"a constant of {count} elements")
    return count


class Builder:
    """Inputs, constants and nodes. Every method that makes a value says of which dtype and sizes it is."""

    def __init__(self) -> None:
        self.inputs: Json = {}
        self.constants: Json = {}
        self.nodes: list[Json] = []
        self.subgraphs: Json = {}
        self.notes: list[str] = []
        self.hint = "v"  # what the next values are named for
        self.roots: frozenset[str] = frozenset()  # of the node that is being written
        self._names: set[str] = set()
        self._taken: dict[str, int] = {}  # how many values have asked for a name that was taken
        self._constants: dict[tuple[str, Sizes, bytes], str] = {}

    def note(self, text: str) -> None:
        """Says once what a row fixed or replaced."""
        if text not in self.notes:
            self.notes.append(text)

    # ---- names and arguments

    def free_name(self, wanted: str) -> str:
        """A name that a case may have, for one that ONNX has."""
        plain = re.sub(r"[^A-Za-z0-9_]", "_", wanted)
        plain = plain if re.match(r"[A-Za-z_]", plain) else f"v{plain}"
        fresh = plain
        while fresh in self._names:
            self._taken[plain] = self._taken.get(plain, 0) + 1
            fresh = f"{plain}_{self._taken[plain]}"
        self._names.add(fresh)
        return fresh

    def input(self, name: str, dtype: str, shape: Sizes) -> Value:
        if min(shape, default=0) < 0 or prod(shape) > LARGEST_INPUT:
            raise NoCounterpartError(f"input {name!r} has the sizes {list(shape)}")
        plain = self.free_name(name)
        self.inputs[plain] = {"type": f"{dtype}[{','.join(map(str, shape))}]"}
        return Value(plain, dtype, shape, roots=frozenset([name]))

    def known(self, data: Any, dtype: str, name: str = "") -> Value:
        """A value whose elements are given."""
        with np.errstate(all="ignore"):
            array = np.asarray(data).astype(DTYPES[dtype])
        return Value(name, dtype, tuple(array.shape), array)

    def integers(self, data: Any) -> Value:
        return self.known(np.asarray(data, dtype=np.int64), "i64")

    def rename(self, value: Value, wanted: str, begin: int) -> Value:
        """The value under that name, if a node from `begin` on makes it."""
        for node in self.nodes[begin:]:
            if node["out"] == value.name:
                self._names.discard(value.name)
                fresh = self.free_name(wanted)
                for one in self.nodes[begin:]:
                    _rename(one, value.name, fresh)
                return replace(value, name=fresh)
        return value

    def text(self, argument: Any) -> Any:
        """An argument as a case has it."""
        if isinstance(argument, Value):
            return f"%{self.reference(argument) if argument.array is None else self._constant(argument)}"
        if isinstance(argument, list | tuple):
            return [self.text(element) for element in argument]
        if isinstance(argument, np.generic):
            argument = argument.item()
        if isinstance(argument, float) and not math.isfinite(argument):
            return "nan" if math.isnan(argument) else "inf" if argument > 0 else "-inf"
        return argument

    def reference(self, value: Value) -> str:
        """The name of a value that is computed."""
        return value.name

    def _constant(self, value: Value) -> str:
        assert value.array is not None
        key = (value.dtype, value.shape, value.array.tobytes())
        if key not in self._constants:
            self._constants[key] = self.free_name(value.name or "c")
            self.constants[self._constants[key]] = encode(np.ascontiguousarray(value.array).reshape(value.shape))
        return self._constants[key]

    def elements(self, name: str) -> Array | None:
        """Those of a constant."""
        spec = self.constants.get(name)
        return None if spec is None else decode(spec["data"], spec["type"])

    # ---- calls

    def call(
        self,
        op: str,
        *args: Any,
        dtype: str | None = None,
        shape: Sequence[int] | None = None,
        **kwargs: Any,
    ) -> Value:
        """A call with one result: of the first operand's dtype, of the sizes that the operands broadcast to.

        `to` among the keywords is the call's own dtype.
        """
        if len(self.nodes) >= MOST_CALLS:
            raise NoCounterpartError(f"more than {MOST_CALLS} calls")
        given = values_in(args)
        full = op if op in NO_ATEN or op.startswith("quantized_decomposed.") else f"aten.{op}"
        node: Json = {"out": "", "op": full, "args": self.text(args)}
        if "to" in kwargs:
            kwargs["dtype"] = kwargs.pop("to")
        if kwargs:
            node["kwargs"] = {name: self.text(argument) for name, argument in kwargs.items()}
        node["out"] = self.free_name(f"{self.hint}_{len(self.nodes)}")
        self.nodes.append(node)
        sizes = broadcast(*(value.shape for value in given)) if shape is None else tuple(int(size) for size in shape)
        return Value(node["out"], dtype or given[0].dtype, sizes, roots=self.roots)

    def several(self, op: str, *args: Any, results: Sequence[tuple[str, Sequence[int]]], **kwargs: Any) -> list[Value]:
        """A call with several results of these dtypes and sizes."""
        made = self.call(op, *args, dtype=results[0][0], shape=results[0][1], **kwargs)
        return [self.call("getitem", made, i, dtype=dtype, shape=shape) for i, (dtype, shape) in enumerate(results)]

    def array(self, value: Value | None, what: str = "an operand") -> Array:
        """An operand that a case has as an argument, not as a value."""
        if value is None:
            raise NoCounterpartError(f"{what} is missing")
        if value.array is None:
            raise NotKnownError(f"{value.name!r} is computed, and a case has {what} as a number", value.roots)
        return value.array

    def ints(self, value: Value | None, what: str = "an operand") -> list[int]:
        return [int(number) for number in self.array(value, what).reshape(-1)]

    # ---- what nearly every row needs

    def cast(self, x: Value, dtype: str) -> Value:
        if x.dtype == dtype:
            return x
        if x.array is not None and (dtype not in ("bool",) or not x.is_float):
            return self.known(x.array, dtype, x.name)
        return self.call("_to_copy.default", x, dtype=dtype, shape=x.shape, to=dtype)

    def clone(self, x: Value) -> Value:
        return self.call("clone.default", x)

    def reshape(self, x: Value, shape: Sequence[int]) -> Value:
        if tuple(shape) == x.shape:
            return x
        if x.array is not None:
            return self.known(x.array.reshape(tuple(shape)), x.dtype)
        return self.call("reshape.default", x, list(shape), shape=shape)

    def permute(self, x: Value, order: Sequence[int]) -> Value:
        if list(order) == list(range(x.rank)):
            return x
        return self.call("permute_copy.default", x, list(order), shape=[x.shape[d] for d in order])

    def swap(self, x: Value, a: int = -2, b: int = -1) -> Value:
        order = list(range(x.rank))
        order[a], order[b] = order[b], order[a]
        return self.permute(x, order)

    def expand(self, x: Value, shape: Sequence[int]) -> Value:
        return x if tuple(shape) == x.shape else self.call("expand_copy.default", x, list(shape), shape=shape)

    def slice(self, x: Value, dim: int, start: int, stop: int, step: int = 1) -> Value:
        """The elements of range(start, stop, step), none of which is negative; step may be."""
        places = range(start, stop, step)
        if len(places) == x.shape[dim] and step == 1:
            return x
        shape = [*x.shape[:dim], len(places), *x.shape[dim + 1 :]]
        if x.array is not None:
            return self.known(np.take(x.array, list(places), axis=dim), x.dtype)
        if step > 0 or not places:
            return self.call("slice_copy.Tensor", x, dim, start, max(stop, start), abs(step), shape=shape)
        forward = self.call("slice_copy.Tensor", x, dim, places[-1], places[0] + 1, -step, shape=shape)
        return self.call("flip.default", forward, [dim])

    def select(self, x: Value, dim: int, index: int) -> Value:
        return self.call("select_copy.int", x, dim, index, shape=[*x.shape[:dim], *x.shape[dim + 1 :]])

    def concat(self, parts: Sequence[Value], dim: int) -> Value:
        if len(parts) == 1:
            return parts[0]
        shape = list(parts[0].shape)
        shape[dim] = sum(part.shape[dim] for part in parts)
        return self.call("cat.default", list(parts), dim, shape=shape)

    def stack(self, parts: Sequence[Value], dim: int) -> Value:
        shape = [*parts[0].shape[:dim], len(parts), *parts[0].shape[dim:]]
        return self.call("stack.default", list(parts), dim, shape=shape)

    def split(self, x: Value, sizes: Sequence[int], dim: int) -> list[Value]:
        shapes = [(x.dtype, (*x.shape[:dim], size, *x.shape[dim + 1 :])) for size in sizes]
        return self.several("split_with_sizes_copy.default", x, list(sizes), dim, results=shapes)

    def index_select(self, x: Value, dim: int, places: Sequence[int]) -> Value:
        shape = [*x.shape[:dim], len(places), *x.shape[dim + 1 :]]
        return self.call("index_select.default", x, dim, self.integers(list(places)), shape=shape)

    def index(self, x: Value, indices: Sequence[Value | None]) -> Value:
        """x[indices] where what is given stands side by side."""
        first = next(i for i, one in enumerate(indices) if one is not None)
        given = [one for one in indices if one is not None]
        shape = [*x.shape[:first], *broadcast(*(one.shape for one in given)), *x.shape[first + len(given) :]]
        return self.call("index.Tensor", x, list(indices), shape=shape)

    def full(self, shape: Sequence[int], number: float | bool, dtype: str) -> Value:
        return self.call("full.default", list(shape), number, dtype=dtype, shape=shape, to=dtype)

    def add(self, a: Value, b: Value | float) -> Value:
        return self._arithmetic("add", a, b)

    def sub(self, a: Value, b: Value | float) -> Value:
        return self._arithmetic("sub", a, b)

    def mul(self, a: Value, b: Value | float) -> Value:
        return self._arithmetic("mul", a, b)

    def _arithmetic(self, kind: str, a: Value, b: Value | float) -> Value:
        return self.call(f"{kind}.{'Tensor' if isinstance(b, Value) else 'Scalar'}", a, b)

    def div(self, a: Value, b: Value | float) -> Value:
        overload = "Tensor" if isinstance(b, Value) else "Scalar"
        if a.is_float:
            return self.call(f"div.{overload}", a, b)
        return self.call(f"div.{overload}_mode", a, b, rounding_mode="trunc")

    def compare(self, kind: str, a: Value, b: Value | float) -> Value:
        return self.call(f"{kind}.{'Tensor' if isinstance(b, Value) else 'Scalar'}", a, b, dtype="bool")

    def where(self, condition: Value, a: Value | float, b: Value | float) -> Value:
        dtype = next(one.dtype for one in (a, b) if isinstance(one, Value))
        pair = (isinstance(a, Value), isinstance(b, Value))
        overload = {(True, True): "self", (False, True): "ScalarSelf", (True, False): "ScalarOther"}[pair]
        return self.call(f"where.{overload}", condition, a, b, dtype=dtype)

    def unary(self, name: str, x: Value) -> Value:
        return self.call(f"{name}.default", x)

    def matmul(self, a: Value, b: Value) -> Value:
        rows, columns = a.shape[-2:-1], b.shape[-1:] if b.rank > 1 else ()
        if a.shape[-1:] != b.shape[-2:][:1]:
            raise NoCounterpartError(f"{list(a.shape)} and {list(b.shape)} cannot be multiplied")
        return self.call("matmul.default", a, b, shape=(*broadcast(a.shape[:-2], b.shape[:-2]), *rows, *columns))

    def reduced(self, x: Value, dims: Sequence[int], keep: bool) -> Sizes:
        kept = [(1 if d in dims else size) for d, size in enumerate(x.shape) if keep or d not in dims]
        return tuple(kept)

    def reduce(self, op: str, x: Value, dims: Sequence[int], keep: bool = True, **more: Any) -> Value:
        return self.call(op, x, list(dims), keep, shape=self.reduced(x, dims, keep), **more)

    def sum(self, x: Value, dims: Sequence[int], keep: bool = True) -> Value:
        return self.reduce("sum.dim_IntList", x, dims, keep, to=x.dtype)

    def mean(self, x: Value, dims: Sequence[int], keep: bool = True) -> Value:
        return self.reduce("mean.dim", x, dims, keep)

    def wrap(self, index: Value, size: int) -> Value:
        """Indices from 0 up, of i64, for those that count from the end."""
        if index.array is not None:
            array = index.array.astype(np.int64)
            return self.integers(np.where(array < 0, array + size, array))
        index = self.cast(index, "i64")
        return self.where(self.compare("lt", index, 0), self.add(index, size), index)

    def pad(self, x: Value, before: Sequence[int], after: Sequence[int], number: float = 0) -> Value:
        """Pads of all dims, or of the last ones; negative ones cut off."""
        if not any([*before, *after]):
            return x
        lead = x.rank - len(before)
        pads = [number for b, a in reversed(list(zip(before, after, strict=True))) for number in (b, a)]
        shape = [*x.shape[:lead], *(s + b + a for s, b, a in zip(x.shape[lead:], before, after, strict=True))]
        return self.call("constant_pad_nd.default", x, pads, number, shape=shape)


def _rename(node: Json, old: str, new: str) -> None:
    def renamed(argument: Any) -> Any:
        if isinstance(argument, list):
            return [renamed(element) for element in argument]
        return f"%{new}" if argument == f"%{old}" else argument

    node["out"] = new if node["out"] == old else node["out"]
    node["args"] = renamed(node["args"])
    if "kwargs" in node:
        node["kwargs"] = {name: renamed(argument) for name, argument in node["kwargs"].items()}


def dtype_name(dtype: np.dtype) -> str:
    return NAMES[dtype]
