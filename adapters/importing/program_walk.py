"""Runs an exported program on its example inputs, node by node, and writes down what it calls.

Sizes, checks and numbers are Python values by then, so that only calls on tensors are left. A call that the oracle does
not know is expanded, and what it gives is held against what PyTorch's own kernel gives.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map, tree_map_only

from adapters.importing.call_arguments import is_arithmetic, literal, name_of, written_call
from adapters.importing.control_calls import CALLS, ControlCalls
from adapters.importing.import_notes import Notes
from adapters.importing.imported_graph import ImportedGraph, Several, Value, storage_of
from adapters.importing.op_expansion import (
    BARRED,
    Expander,
    call_with,
    first_line,
    makes_tensors,
    trace,
)
from adapters.importing.op_libraries import kernel_of
from adapters.worker.one_answer import RefusedError

FOLDED = "as constants"
OF_PYTORCH = ("aten", "prims", "quantized_decomposed")
COUNTED = "with the number of results that these inputs give"
# Of the values, not of shapes: what a result of these fixes holds for the example inputs alone.
READS = {"item", "_local_scalar_dense", "is_nonzero", "equal", "allclose"}
# Regions whose body is called in their place, by the number of arguments before it.
REGIONS = {"wrap_with_set_grad_enabled": 1, "wrap_with_autocast": 4, "invoke_subgraph": 0, "wrap": 0}

Leaves = dict[torch.fx.Node, Any]


class Walk:
    def __init__(self, graph: ImportedGraph, expander: Expander, notes: Notes) -> None:
        self._graph = graph
        self._expander = expander
        self._notes = notes
        self._where = ""
        self._autocast: tuple[Any, ...] | None = None

    def run(self, module: torch.fx.GraphModule, inputs: list[Any], inner: bool = False) -> Any:
        """The module's results. `inner`: a graph of ours, whose nodes have no names that a person knows."""
        values: Leaves = {}
        given = iter(inputs)
        for node in module.graph.nodes:
            if not inner:
                self._where = node.name
            if node.op == "placeholder":
                values[node] = next(given)
            elif node.op == "get_attr":
                values[node] = self._attribute(module, str(node.target))
            elif node.op == "call_function":
                args, kwargs = tree_map(
                    lambda leaf: values[leaf] if isinstance(leaf, torch.fx.Node) else leaf,
                    (node.args, dict(node.kwargs)),
                )
                try:
                    values[node] = self._call(node.name, node.target, args, kwargs)
                except RefusedError as error:
                    raise RefusedError(self._at(error)) from None
            elif node.op == "output":
                return tree_map(lambda leaf: values[leaf] if isinstance(leaf, torch.fx.Node) else leaf, node.args[0])
            else:
                raise RefusedError(f"node {node.name}: a {node.op}")
        return None

    def _at(self, error: RefusedError) -> str:
        text = str(error)
        return text if text.startswith("node ") else f"node {self._where}: {text}"

    def _attribute(self, module: torch.fx.GraphModule, target: str) -> Any:
        value = operator.attrgetter(target)(module)
        return Value(value.detach(), None, True) if isinstance(value, torch.Tensor) else value

    def _call(self, hint: str, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if target is operator.getitem:
            return self._element(hint, *args)
        if isinstance(target, torch._ops.HigherOrderOperator):
            return self._region(target, args, kwargs)
        if isinstance(target, type) and issubclass(target, tuple):  # results with names
            return list(args)
        if not isinstance(target, torch._ops.OpOverload):
            if not is_arithmetic(target) or any(isinstance(leaf, Value) for leaf in tree_leaves((args, kwargs))):
                raise RefusedError(f"{target} is no ATen overload")
            return target(*args, **kwargs)
        if target._opname in BARRED or (
            torch.Tag.nondeterministic_seeded in target.tags and self._draws(target, args, kwargs)
        ):
            raise RefusedError(f"{name_of(target)} is none that a case can have")
        if target.namespace not in OF_PYTORCH and kernel_of(target) is None and not target._can_decompose():
            raise RefusedError(f"{name_of(target)} has no kernel in Python that it could be written as")
        if not makes_tensors(target):
            return self._look(target, args, kwargs)
        if self._autocast is not None:
            return self._in_autocast(target, args, kwargs)
        if self._expander.knows(target):
            return self._emit(hint, target, args, kwargs)
        return self._expand(hint, target, args, kwargs)

    def _draws(self, target: torch._ops.OpOverload, args: Any, kwargs: Any) -> bool:
        """Whether random numbers come in: dropout outside of training, or of nothing, draws none."""
        given = {argument.name: argument.default_value for argument in target._schema.arguments}
        given |= {argument.name: value for argument, value in zip_arguments(target, args, kwargs)}
        if "dropout_p" in given:
            return given["dropout_p"] > 0
        if given.get("train", given.get("training", True)) is False:
            return False
        return given.get("p", given.get("dropout", 1.0)) != 0

    def _element(self, hint: str, source: Any, index: Any) -> Any:
        return self._graph.element(source, index, hint) if isinstance(source, Several) else source[index]

    def _region(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        name = target.name()
        if name == "with_effects":  # a call whose place in the order matters, after a token that says so
            results = self._call(self._where, args[1], args[2:], kwargs)
            return [args[0], *(results if isinstance(results, (tuple, list)) else [results])]
        if name == "cond" and isinstance(args[0], bool):
            return self.run(args[1] if args[0] else args[2], list(args[3]))
        if name in CALLS:
            return ControlCalls(self._graph, self._inside).call(self._where, target, args)
        if name not in REGIONS:
            raise RefusedError(f"{name} is no ATen overload")
        before = REGIONS[name]
        body, operands = args[before], list(args[before + 1 :])
        if name == "invoke_subgraph":
            operands = operands[1:]  # without its identifier
        outer, where = self._autocast, self._where
        if name == "wrap_with_autocast":
            self._autocast = args[:before] if args[2] else None
        try:
            return self.run(body, [*operands, *kwargs.values()])
        finally:
            self._autocast, self._where = outer, where

    def _inside(self, graph: ImportedGraph, module: torch.fx.GraphModule, inputs: list[Any]) -> Any:
        """A subgraph's nodes, into its own graph."""
        return Walk(graph, self._expander, self._notes).run(module, inputs)

    def _in_autocast(self, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        device, dtype, _, cache = self._autocast or ()
        call, values = call_with_values(target, args, kwargs)

        def casting(*tensors: torch.Tensor) -> Any:
            with torch.autocast(device, dtype=dtype, enabled=True, cache_enabled=cache):
                return call(*tensors)

        with torch.no_grad():
            traced = trace(casting, [value.tensor for value in values])
        outer, self._autocast = self._autocast, None
        try:
            return self.run(traced, list(values), inner=True)
        finally:
            self._autocast = outer

    def _look(self, target: torch._ops.OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """A size, a number or a check: nothing that the graph has."""
        try:
            result = target(*tensors_of(args), **tensors_of(kwargs))
        except RuntimeError as error:
            raise RefusedError(f"its own check fails on its example inputs: {first_line(error)}") from None
        values = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Value)]
        if target._opname in READS and not all(value.fixed for value in values):
            self._notes.say(f"{self._where}, a number that depends on data, is fixed at {result}")
        return result

    def _emit(self, hint: str, target: torch._ops.OpOverload, args: Any, kwargs: Any) -> Any:
        written_args, written_kwargs = written_call(target, args, kwargs, self._argument)
        try:
            with torch.no_grad():
                result = target(*tensors_of(args), **tensors_of(kwargs))
        except RuntimeError as error:
            raise RefusedError(f"{name_of(target)} fails on the example inputs: {first_line(error)}") from None
        self._note_writes(target, args, kwargs)
        values = [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Value)]
        fixed = all(value.fixed for value in values) and not target._schema.is_mutable
        name = self._graph.call(hint, name_of(target), written_args, written_kwargs)
        if isinstance(result, torch.Tensor):
            return Value(result, name, fixed)
        return Several(name, tuple(result), fixed)

    def _note_writes(self, target: torch._ops.OpOverload, args: Any, kwargs: Any) -> None:
        for argument, given in zip_arguments(target, args, kwargs):
            if argument.alias_info is not None and argument.alias_info.is_write:
                for leaf in tree_leaves(given):
                    if isinstance(leaf, Value):
                        leaf.fixed = False
                        self._graph.wrote(leaf.tensor)

    def _argument(self, argument: Any) -> Any:
        if isinstance(argument, Value):
            return f"%{self._graph.named(argument)}"
        if isinstance(argument, Several):
            return f"%{argument.name}"
        return literal(argument)

    def _expand(self, hint: str, target: torch._ops.OpOverload, args: Any, kwargs: Any) -> Any:
        if self._expander.is_left(target, tensors_of(args), tensors_of(kwargs)):
            return self._fold(target, args, kwargs)
        if name_of(target) == "aten.nonzero.default":
            return self._counted(hint, args[0])
        if name_of(target) == "aten.where.default":
            return self._call(hint, torch.ops.aten.unbind.int, (self._counted(hint, args[0]), 1), {})
        if name_of(target) == "aten.masked_select.default":
            return self._selected(hint, *args, **kwargs)
        call, values = call_with_values(target, args, kwargs)
        try:
            how, traced = self._expander.expand(target, tensors_of(args), tensors_of(kwargs))
        except RefusedError:
            if values and all(value.fixed and not self._graph.is_written(value.tensor) for value in values):
                return self._fold(target, args, kwargs)
            raise
        self._notes.replaced(how, name_of(target))
        if traced.meta.get("looked") and not all(value.fixed for value in values):
            self._notes.say(f"{self._where}: {name_of(target)} stands as it is for these values")
        with torch.no_grad():
            copies, private = private_copies([value.tensor for value in values])
            expected = call(*copies)
        result = self.run(traced, list(values), inner=True)
        return self._checked(hint, target, result, expected, private)

    def _fold(self, target: torch._ops.OpOverload, args: Any, kwargs: Any) -> Any:
        self._notes.replaced(FOLDED, name_of(target))
        written_call(target, args, kwargs, lambda leaf: None if isinstance(leaf, Value) else literal(leaf))
        with torch.no_grad():
            result = target(*tensors_of(args), **tensors_of(kwargs))
        return tree_map(lambda tensor: Value(tensor.clone(), None, True), result)

    def _counted(self, hint: str, mask: Value) -> Any:
        count = int(torch.count_nonzero(mask.tensor))
        self._notes.replaced(COUNTED, "aten.nonzero.default")
        return self._call(hint, torch.ops.aten.nonzero_static.default, (mask,), {"size": count})

    def _selected(self, hint: str, data: Value, mask: Value) -> Any:
        aten = torch.ops.aten
        shape = list(torch.broadcast_shapes(data.tensor.shape, mask.tensor.shape))
        flat = [
            self._call(hint, aten.reshape.default, (self._call(hint, aten.expand.default, (one, shape), {}), [-1]), {})
            for one in (data, mask)
        ]
        places = self._call(hint, aten.reshape.default, (self._counted(hint, flat[1]), [-1]), {})
        return self._call(hint, aten.index_select.default, (flat[0], 0, places), {})

    def _checked(
        self, hint: str, target: torch._ops.OpOverload, result: Any, expected: Any, private: dict[int, int]
    ) -> Any:
        """The results of an expansion, held against those of the op itself, whose memory `private` leads back to."""
        if not isinstance(expected, (tuple, list)):
            return self._held(hint, target, result, expected, private)
        return [
            None if made is None else self._held(hint, target, made, one, private)
            for made, one in zip(result, expected, strict=True)
        ]

    def _held(
        self, hint: str, target: torch._ops.OpOverload, made: Value, expected: torch.Tensor, private: dict[int, int]
    ) -> Value:
        name = name_of(target)
        if made.tensor.dtype != expected.dtype or made.tensor.shape != expected.shape:
            shapes = f"{made.tensor.dtype} {list(made.tensor.shape)}, not {expected.dtype} {list(expected.shape)}"
            raise RefusedError(f"{name} as other calls gives {shapes}")
        if not name.startswith(("aten.empty", "aten.new_empty")) and not agree(made.tensor, expected):
            raise RefusedError(f"{name} as other calls gives other values than PyTorch's kernel for it")
        shares = private.get(storage_of(expected))
        if shares == storage_of(made.tensor) or made.tensor.numel() == 0:
            return made
        if shares is not None:
            raise RefusedError(f"{name} gives a view, and what it could be written as does not")
        if storage_of(made.tensor) in private.values():
            return self._call(hint, torch.ops.aten.clone.default, (made,), {})
        return made


def agree(made: torch.Tensor, expected: torch.Tensor) -> bool:
    """Whether they are one result up to rounding."""
    if not made.dtype.is_floating_point:
        return torch.equal(made, expected)
    near = 1e-4 if made.dtype in (torch.float32, torch.float64) else 5e-2
    return torch.allclose(made.double(), expected.double(), rtol=near, atol=near, equal_nan=True)


def tensors_of(tree: Any) -> Any:
    return tree_map_only((Value, Several), lambda leaf: leaf.tensor if isinstance(leaf, Value) else leaf.tensors, tree)


def call_with_values(target: torch._ops.OpOverload, args: Any, kwargs: Any) -> tuple[Callable[..., Any], list[Value]]:
    call, _ = call_with(target, tensors_of(args), tensors_of(kwargs))
    return call, [leaf for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Value)]


def zip_arguments(target: torch._ops.OpOverload, args: Any, kwargs: Any) -> Iterator[tuple[Any, Any]]:
    schema = target._schema.arguments
    yield from zip(schema, args, strict=False)
    for argument in schema:
        if argument.name in kwargs:
            yield argument, kwargs[argument.name]


def private_copies(tensors: list[torch.Tensor]) -> tuple[list[torch.Tensor], dict[int, int]]:
    """Copies that share memory with one another where the tensors do, and whose storage each one's is."""
    storages: dict[int, torch.UntypedStorage] = {}
    copies = []
    for tensor in tensors:
        storage = storages.setdefault(storage_of(tensor), tensor.untyped_storage().clone())
        empty = torch.empty(0, dtype=tensor.dtype)
        copies.append(empty.set_(storage, tensor.storage_offset(), tensor.shape, tensor.stride()))
    return copies, {copy._cdata: original for original, copy in storages.items()}
