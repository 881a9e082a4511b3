"""Calls that run subgraphs, as If, Loop and Scan.

A case's subgraph gets all that it reads as operands, and ONNX's sees the values around it: closures are read by their
names, unless the subgraph writes to them. What it writes to becomes a further result, or a further carry of a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adapters.onnx.graph import Graph, Value
from adapters.onnx.layouts import Layout
from adapters.onnx.memory import Memory, Reference, Tensor
from adapters.worker.system import Json, UnsupportedError

OPS = ("cond", "while_loop", "scan", "map")


@dataclass
class Ran:
    """What a subgraph's nodes, written into a graph, give."""

    results: list[Value]
    tensors: list[Tensor]  # of the results
    operands: list[Tensor]
    memory: Memory

    def wrote_to(self, operand: int) -> bool:
        return self.operands[operand].storage.version > 0

    def operand(self, operand: int) -> Value:
        """As it is afterwards."""
        return self.memory.read(self.operands[operand])


Run = Callable[[Graph, str, Sequence[Value]], Ran]  # writes the subgraph of that name, on these operands


class ControlWriter:
    """Writes calls of a graph that run subgraphs.

    Without `captures` the closures of a Scan are states of it, for frontends that do not find what its body reads from
    around it.
    """

    def __init__(self, graph: Graph, memory: Memory, run: Run, captures: bool) -> None:
        self._graph = graph
        self._memory = memory
        self._run = run
        self._captures = captures

    def call(self, op: str, args: list[object]) -> list[Reference]:
        kinds = {"cond": self._cond, "while_loop": self._while_loop, "scan": self._scan, "map": self._map}
        return kinds[op](*args)  # type: ignore[operator]

    def _values(self, references: Sequence[Reference]) -> list[Value]:
        return [self._memory.read(one.tensor) for one in references]

    def _results(self, values: Sequence[Value], tensors: Sequence[Tensor]) -> list[Reference]:
        """In memory of their own, with the strides that the subgraph returned."""

        def fresh(value: Value, like: Tensor) -> Reference:
            layout = Layout(like.layout.sizes, like.layout.strides)
            return Reference(self._memory.fresh(value, layout, like.storage.certain))

        return [fresh(value, like) for value, like in zip(values, tensors, strict=True)]

    def _write_back(self, operands: Sequence[Reference], values: Sequence[Value]) -> None:
        for operand, value in zip(operands, values, strict=True):
            if operand.tensor.layout.is_expanded():
                raise UnsupportedError("a write to an expanded tensor")
            self._memory.write(operand.tensor, value)

    def _cond(self, predicate: Reference, then: Json, other: Json, operands: list[Reference]) -> list[Reference]:
        values = self._values(operands)
        branches = [self._graph.subgraph() for _ in range(2)]
        ran = [self._run(branch, one["graph"], values) for branch, one in zip(branches, (then, other), strict=True)]
        written = [i for i in range(len(values)) if any(one.wrote_to(i) for one in ran)]
        for branch, one in zip(branches, ran, strict=True):
            for value in [*one.results, *(one.operand(i) for i in written)]:
                branch.own_output(value)
        condition = self._graph.reshape(self._memory.read(predicate.tensor), ())
        types = [(value.dtype, value.shape) for value in branches[0].outputs]
        made = self._graph.results("If", [condition], types, then_branch=branches[0], else_branch=branches[1])
        count = len(ran[0].results)
        self._write_back([operands[i] for i in written], made[count:])
        return self._results(made[:count], ran[0].tensors)

    def _while_loop(
        self, condition: Json, body: Json, carries: list[Reference], closures: Sequence[Reference] = ()
    ) -> list[Reference]:
        graph, carried, closed = self._graph, self._values(carries), self._values(closures)
        begin = len(carried)
        first = self._run(graph, condition["graph"], [*carried, *closed])
        inner = graph.subgraph()
        counters = [Value(inner.fresh_name(), dtype, ()) for dtype in ("i64", "bool")]
        inside = _like(inner, carried)
        outside = _like(inner, closed)
        ran = self._run(inner, body["graph"], [*inside, *outside])
        going = self._run(inner, condition["graph"], [*ran.results, *_after(ran, begin, outside)])
        written = [i for i in range(len(closed)) if ran.wrote_to(begin + i) or going.wrote_to(begin + i)]
        closed_after = _after(going, begin, _after(ran, begin, outside))
        for value in [inner.reshape(going.results[0], ()), *ran.results, *(closed_after[i] for i in written)]:
            inner.own_output(value)
        _bind(inner, [*counters, *inside, *(outside[i] for i in written)], closed, outside, written)
        asked = _after(first, begin, closed)  # the condition may write, too, and does so before the first step
        given = [*carried, *(asked[i] for i in written)]
        types = [(value.dtype, value.shape) for value in given]
        made = graph.results("Loop", [None, graph.reshape(first.results[0], ()), *given], types, body=inner)
        self._write_back([closures[i] for i in written], made[begin:])
        return self._results(made[:begin], ran.tensors)

    def _map(self, function: Json, xs: list[Reference], closures: Sequence[Reference] = ()) -> list[Reference]:
        return self._scan(function, [], xs, closures)

    def _scan(
        self, combine: Json, init: list[Reference], xs: list[Reference], closures: Sequence[Reference] = ()
    ) -> list[Reference]:
        graph, carried, scanned, closed = self._graph, self._values(init), self._values(xs), self._values(closures)
        inner = graph.subgraph()
        inside, outside = _like(inner, carried), _like(inner, closed)
        slices = [Value(inner.fresh_name(), one.dtype, one.shape[1:]) for one in scanned]
        ran = self._run(inner, combine["graph"], [*inside, *slices, *outside])
        begin = len(carried) + len(slices)
        written = [i for i in range(len(closed)) if ran.wrote_to(begin + i) or not self._captures]
        carried_on, stacked = ran.results[: len(carried)], ran.results[len(carried) :]
        after = [ran.operand(begin + i) for i in written]
        for value in [*carried_on, *after, *stacked]:
            inner.own_output(value)
        _bind(inner, [*inside, *(outside[i] for i in written), *slices], closed, outside, written)
        states = [*carried, *(closed[i] for i in written)]
        steps = scanned[0].shape[0]
        types = [(one.dtype, one.shape) for one in states] + [(one.dtype, (steps, *one.shape)) for one in stacked]
        made = graph.results("Scan", [*states, *scanned], types, body=inner, num_scan_inputs=len(scanned))
        for i, value in zip(written, made[len(carried) : len(states)], strict=True):
            if ran.wrote_to(begin + i):
                self._write_back([closures[i]], [value])
        rows = [Reference(self._memory.fresh(value)) for value in made[len(states) :]]
        return self._results(made[: len(carried)], ran.tensors[: len(carried)]) + rows


def _after(ran: Ran, begin: int, closed: Sequence[Value]) -> list[Value]:
    """Closures, operands from `begin` on, as a subgraph leaves them."""
    return [ran.operand(begin + i) if ran.wrote_to(begin + i) else one for i, one in enumerate(closed)]


def _like(inner: Graph, values: Sequence[Value]) -> list[Value]:
    """Values of a body that stand for those around it, until it is known whether the body writes to them."""
    return [Value(inner.fresh_name(), one.dtype, one.shape) for one in values]


def _bind(
    inner: Graph, inputs: Sequence[Value], closed: Sequence[Value], outside: Sequence[Value], written: Sequence[int]
) -> None:
    """Gives a body its inputs; closures that it does not write to are read from around it."""
    inner.inputs += inputs
    inner.rename({there.name: here.name for i, (here, there) in enumerate(zip(closed, outside, strict=True))
                  if i not in written})  # fmt: skip
