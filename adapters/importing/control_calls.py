"""The calls of an exported program that run subgraphs (cond, while_loop, scan, map) as those of a case.

Each subgraph is walked once, on the example operands, whichever branch they take. What it reads beside its operands are
constants, which become operands too: a case's subgraph has inputs only. Numbers among the operands are fixed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch.utils._pytree import tree_leaves

from adapters.importing.imported_graph import CONSTANT, ImportedGraph, Several, Value
from adapters.torch.tensors import NAMES
from adapters.worker.case_text import contiguous_strides
from adapters.worker.one_answer import RefusedError

Json = dict[str, Any]
Run = Callable[[ImportedGraph, torch.fx.GraphModule, list[Any]], Any]  # walks a module's nodes into a graph
CALLS = ("cond", "while_loop", "scan", "map_impl")


class BodyGraph(ImportedGraph):
    """A subgraph in the making."""

    def __init__(self, around: ImportedGraph) -> None:
        super().__init__()
        self.subgraphs = around.subgraphs
        self.inputs: Json = {}
        self.constants: dict[tuple[Any, ...], tuple[str, Value]] = {}  # inputs that stand for them
        self._around = around

    def operand(self, hint: str, tensor: torch.Tensor) -> Value:
        name = self.name(hint)
        self.inputs[name] = type_of(tensor)
        return Value(tensor, name)

    def source(self, section: str, hint: str, tensor: torch.Tensor) -> Value:
        """A constant, as an operand."""
        assert section == CONSTANT
        place = (tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype)
        if place not in self.constants:
            self.constants[place] = (self.name(hint), Value(tensor, None, True))
        return Value(tensor, self.constants[place][0], True)


def type_of(tensor: torch.Tensor) -> Json:
    text = f"{NAMES[tensor.dtype]}[{','.join(map(str, tensor.shape))}]"
    if list(tensor.stride()) != contiguous_strides(tensor.shape) and tensor.numel() > 1:
        return {"type": text, "strides": list(tensor.stride())}
    return {"type": text}


class ControlCalls:
    """Writes the calls of one graph."""

    def __init__(self, graph: ImportedGraph, run: Run) -> None:
        self._graph = graph
        self._run = run

    def call(self, hint: str, target: Any, args: tuple[Any, ...]) -> Several:
        name = target.name()
        with torch.no_grad():
            results = tuple(tree_leaves(target(*copied(args))))
        if any(not isinstance(one, torch.Tensor) for one in results):
            raise RefusedError(f"{name} with a number among its results")
        if name == "cond":
            predicate, *modules, operands = args
            bodies = [self._body(module, list(operands)) for module in modules]
            closures = tensors(operands) + self._constants(bodies)
            written = [f"%{self._graph.named(predicate)}", *self._named(bodies, "branch"), self._texts(closures)]
            return self._several(hint, "cond", written, results)
        # The modules, then what is carried, what goes in slice by slice, and closures, in this order.
        count = {"while_loop": 2, "scan": 1, "map_impl": 1}[name]
        modules, groups, second = args[:count], [list(group) for group in args[count:-1]], list(args[-1])
        if any(not isinstance(one, Value) for group in groups for one in group):
            raise RefusedError(f"{name} with a number among its carries")
        kept = [] if name == "map_impl" else groups[0]
        sliced = [] if name == "while_loop" else groups[-1]
        examples = [*kept, *(Value(one.tensor[0].clone()) for one in sliced)]
        bodies = [self._body(module, [*examples, *second]) for module in modules]
        closures = tensors(second) + self._constants(bodies)
        written = [*self._named(bodies, "body"), *(self._texts(group) for group in groups), self._texts(closures)]
        return self._several(hint, name.removesuffix("_impl"), written, results)

    def _several(self, hint: str, op: str, args: list[Any], results: tuple[torch.Tensor, ...]) -> Several:
        return Several(self._graph.call(hint, op, args, {}), results, False)

    def _body(self, module: torch.fx.GraphModule, operands: Sequence[Any]) -> BodyGraph:
        body = BodyGraph(self._graph)
        places = (node.name for node in module.graph.nodes if node.op == "placeholder")
        given = [
            body.operand(hint, one.tensor.clone(memory_format=torch.preserve_format)) if isinstance(one, Value) else one
            for hint, one in zip(places, operands, strict=True)
        ]
        results = self._run(body, module, given)
        for value in given:
            if isinstance(value, Value) and body.is_written(value.tensor):
                raise RefusedError("a subgraph that writes to its operands")
        listed = results if isinstance(results, (tuple, list)) else [results]
        if any(not isinstance(one, Value) for one in listed):
            raise RefusedError("a subgraph that returns what is no tensor")
        body.outputs = [f"%{body.named(one)}" for one in listed]
        return body

    def _constants(self, bodies: Sequence[BodyGraph]) -> list[Value]:
        """Those of all bodies, which each then has as inputs."""
        found: dict[tuple[Any, ...], Value] = {}
        for body in bodies:
            found.update({place: value for place, (_, value) in body.constants.items()})
        for body in bodies:
            for place, value in found.items():
                name = body.constants[place][0] if place in body.constants else body.name("unused")
                body.inputs[name] = type_of(value.tensor)
        return list(found.values())

    def _named(self, bodies: Sequence[BodyGraph], hint: str) -> list[Json]:
        names = []
        for body in bodies:
            name = f"{hint}_{len(self._graph.subgraphs)}"
            self._graph.subgraphs[name] = {"inputs": body.inputs, "nodes": body.nodes, "outputs": body.outputs}
            names.append({"graph": name})
        return names

    def _texts(self, values: Sequence[Value]) -> list[str]:
        return [f"%{self._graph.named(value)}" for value in values]


def tensors(operands: Sequence[Any]) -> list[Value]:
    return [one for one in operands if isinstance(one, Value)]


def copied(argument: Any) -> Any:
    """The arguments of the call with tensors that it may write to."""
    if isinstance(argument, (tuple, list)):
        return type(argument)(copied(one) for one in argument)
    return argument.tensor.clone() if isinstance(argument, Value) else argument
