"""The symbols of a case in the words of torch.export and torch.compile, and what these made of them."""

from __future__ import annotations

from typing import Any

import torch
import torch._dynamo

from adapters.torch.case_module import case_module
from adapters.worker.case_symbols import symbolic_dims
from adapters.worker.system import Json


def dynamic_shapes(graph: Json) -> tuple[dict[int, Any] | None, ...] | None:
    """The argument of torch.export of that name: by input, what each symbolic dim is. Nothing for a graph without
    symbols."""
    if "symbols" not in graph:
        return None
    dims = {name: torch.export.Dim(name, min=low, max=high) for name, (low, high) in graph["symbols"].items()}

    def derived(symbol: str, factor: int, offset: int) -> Any:
        dim = dims[symbol] if factor == 1 else factor * dims[symbol]
        return dim + offset if offset else dim

    def of_input(name: str) -> dict[int, Any] | None:
        found = symbolic_dims(graph, name)
        return {dim: derived(one.symbol, one.factor, one.offset) for dim, one in found.items()} or None

    return tuple(of_input(name) for name in graph.get("inputs", {}))


def export_at_all_sizes(graph: Json, inputs: tuple[torch.Tensor, ...]) -> Any:
    """torch.export of a case, its symbols included.

    A program that holds in a part of a symbol's range alone is refused. It is exported once more then, by the way that
    torch.export has for it: what would narrow the range is asserted when the program runs."""

    def export(**how: bool) -> Any:
        return torch.export.export(
            case_module(graph), inputs, dynamic_shapes=dynamic_shapes(graph), strict=False, **how
        )

    try:
        return export()
    except torch._dynamo.exc.UserError as error:
        if "symbols" not in graph or "Constraints violated" not in str(error):
            raise
        return export(prefer_deferred_runtime_asserts_over_guards=True)


def what_became_of_symbols(graph: Json, exported: Any) -> Json:
    """`specialized` of a reply: the symbols that an exported program fixed. A dim of an input is a number where the
    case has a symbol."""
    if "symbols" not in graph:
        return {}
    shapes = {node.name: node.meta["val"].shape for node in exported.graph.nodes if node.op == "placeholder"}
    users = [spec.arg.name for spec in exported.graph_signature.input_specs if spec.kind.name == "USER_INPUT"]
    fixed = {
        one.symbol
        for name, placed in zip(graph.get("inputs", {}), users, strict=True)
        for dim, one in symbolic_dims(graph, name).items()
        if not isinstance(shapes[placed][dim], torch.SymInt)
    }
    return {"specialized": sorted(fixed)}


def mark_dynamic(graph: Json, inputs: tuple[torch.Tensor, ...]) -> None:
    """Tells torch.compile what may change. Not in which range: a size of 1 is compiled apart by design, and a range
    that has it would be refused for a dim in a relation to a symbol."""
    for name, tensor in zip(graph.get("inputs", {}), inputs, strict=True):
        for dim in symbolic_dims(graph, name):
            torch._dynamo.mark_dynamic(tensor, dim)


def graphs_compiled() -> int:
    """How many graphs torch.compile has made so far in this process."""
    return torch._dynamo.utils.counters["stats"]["unique_graphs"]
