"""The body of a branch or a loop in the making: a subgraph of the case.

What it reads from around it becomes an operand, constants too, since a case's subgraph has inputs only.
"""

from __future__ import annotations

from collections.abc import Sequence

from adapters.importing.onnx.values import Builder, NoCounterpartError, Value
from adapters.worker.arrays import Array
from adapters.worker.system import Json

# Calls whose results need not be row-major, as operands and results of subgraphs are here.
STRIDED = ("matmul", "einsum", "index", "convolution", "flip", "sort", "topk", "lstm", "gru")

Key = tuple[object, ...]


class Body(Builder):
    """A subgraph of the graph that another builder makes, or of another body."""

    def __init__(self, around: Builder) -> None:
        super().__init__()
        self.subgraphs, self.notes = around.subgraphs, around.notes
        self.hint, self.roots = around.hint, around.roots
        self._names, self._taken = around._names, around._taken  # no name of a model comes twice
        self._own: set[str] = set()
        self.parameters: list[Value] = []
        self._read: dict[Key, tuple[str, Value]] = {}  # what it reads from around it, under the names of its inputs

    def parameter(self, like: Value) -> Value:
        """An input that is given by position."""
        made = Value(self.free_name("p"), like.dtype, like.shape, roots=like.roots)
        self.parameters.append(made)
        return made

    def free_name(self, wanted: str) -> str:
        name = super().free_name(wanted)
        self._own.add(name)
        return name

    def reference(self, value: Value) -> str:
        if value.name in self._own:
            return value.name
        return self._input((value.name,), value)

    def _constant(self, value: Value) -> str:
        assert value.array is not None
        name = self._input((value.dtype, value.shape, value.array.tobytes()), value)
        self._constants[value.dtype, value.shape, value.array.tobytes()] = name
        return name

    def _input(self, key: Key, value: Value) -> str:
        if key not in self._read:
            self._read[key] = (self.free_name(value.name or "c"), value)
        return self._read[key][0]

    def elements(self, name: str) -> Array | None:
        return next((value.array for inner, value in self._read.values() if inner == name), None)

    def closures(self, results: Sequence[Value]) -> dict[Key, Value]:
        """What it reads from around it, after all."""
        text = str([self.nodes, self.text(list(results))])
        return {key: value for key, (name, value) in self._read.items() if f"'%{name}'" in text}

    def subgraph(self, results: Sequence[Value], closures: dict[Key, Value]) -> Json:
        """With inputs for all closures, those that it does not read too."""
        outputs = [self.text(dense(self, one)) for one in results]
        inputs = {one.name: _spec(one) for one in self.parameters}
        for key, value in closures.items():
            name = self._read[key][0] if key in self._read else self.free_name("unused")
            inputs[name] = _spec(value)
        return {"inputs": inputs, "nodes": self.nodes, "outputs": outputs}


def _spec(value: Value) -> Json:
    return {"type": f"{value.dtype}[{','.join(map(str, value.shape))}]"}


def dense(b: Builder, value: Value) -> Value:
    """The value row-major, as far as it is known that it might not be."""
    makers = {node["out"]: node for node in b.nodes}
    node = makers.get(value.name)
    while node is not None and node["op"] == "getitem":
        node = makers.get(node["args"][0].removeprefix("%"))
    if value.array is not None or node is None or not any(f".{one}." in node["op"] for one in STRIDED):
        return value
    return b.call("clone.default", value, memory_format="contiguous_format")


def types_of(values: Sequence[Value]) -> list[tuple[str, tuple[int, ...]]]:
    return [(value.dtype, value.shape) for value in values]


def branch(b: Builder, condition: Value, bodies: Sequence[tuple[Body, list[Value]]]) -> list[Value]:
    """A choice between two bodies by a bool[]."""
    (_, first), (_, second) = bodies
    if types_of(first) != types_of(second):
        raise NoCounterpartError("its branches give results of different types, and which is taken is computed")
    closures: dict[Key, Value] = {}
    for body, results in bodies:
        closures |= body.closures(results)
    names = [b.free_name(name) for name in ("then", "else")]
    for name, (body, results) in zip(names, bodies, strict=True):
        b.subgraphs[name] = body.subgraph(results, closures)
    operands = [dense(b, value) for value in closures.values()]
    graphs = [{"graph": name} for name in names]
    return b.several("cond", condition, *graphs, operands, results=types_of(first))


def scan(b: Builder, body: Body, results: list[Value], states: list[Value], xs: list[Value], steps: int) -> list[Value]:
    """A body for each slice along the first dims, its results after the states stacked."""
    count = len(states)
    if types_of(results[:count]) != types_of(states):
        raise NoCounterpartError("its states change their types")
    closures = body.closures(results)
    name = b.free_name("combine")
    b.subgraphs[name] = body.subgraph(results, closures)
    types = [*types_of(states), *((dtype, (steps, *shape)) for dtype, shape in types_of(results[count:]))]
    operands = [[dense(b, value) for value in some] for some in (states, xs, list(closures.values()))]
    return b.several("scan", {"graph": name}, *operands, results=types)


def while_loop(
    b: Builder, condition: Json, body: Body, results: list[Value], states: list[Value], limit: Value | None
) -> list[Value]:
    """A body while the condition's bool[] is true. `condition` has inputs for the states and for `limit`, which comes
    first among the closures; it gets those for the others here."""
    if types_of(results) != types_of(states):
        raise NoCounterpartError("its states change their types")
    read = body.closures(results)
    first: dict[Key, Value] = {} if limit is None else {("limit",): limit}
    closures = {**first, **read}
    for value in read.values():
        condition["inputs"][b.free_name("unused")] = _spec(value)
    names = [b.free_name(name) for name in ("condition", "body")]
    b.subgraphs[names[0]] = condition
    b.subgraphs[names[1]] = body.subgraph(results, closures)
    operands = [[dense(b, value) for value in some] for some in (states, list(closures.values()))]
    return b.several("while_loop", *({"graph": name} for name in names), *operands, results=types_of(states))
