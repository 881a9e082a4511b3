"""Which names of a graph may share memory that one of its nodes writes to. Where none does, a view and its copy are
alike, and strides need not be known."""

from __future__ import annotations

from collections.abc import Container, Iterator
from typing import Any

from adapters.worker.case_text import value_name
from adapters.worker.system import Json


def is_write(op: str) -> bool:
    """add_.Tensor is, __and__.Tensor is not."""
    stem = op.split(".")[1] if "." in op else op
    return stem.endswith("_") and not stem.endswith("__")


def names_in(argument: Any) -> Iterator[str]:
    if isinstance(argument, list | dict):
        for element in argument.values() if isinstance(argument, dict) else argument:
            yield from names_in(element)
    elif (name := value_name(argument)) is not None:
        yield name


def written_names(graph: Json, subgraphs: Json, fresh: Container[str]) -> set[str]:
    """`fresh` are the ops whose results are new memory; those of any other may be views of any operand."""
    leader: dict[str, str] = {}

    def find(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    sources = {**graph.get("inputs", {}), **graph.get("buffers", {})}
    for name, spec in sources.items():
        leader[find(name)] = find(spec.get("storage", name))
    nested = any(is_write(node["op"]) for one in subgraphs.values() for node in one.get("nodes", []))
    written = []
    for node in graph.get("nodes", []):
        operands = list(names_in([node.get("args", []), node.get("kwargs", {})]))
        if node["op"] not in fresh:
            for name in operands:
                leader[find(node["out"])] = find(name)
        if is_write(node["op"]) or (nested and "." not in node["op"] and node["op"] != "getitem"):
            written += operands[: 1 if is_write(node["op"]) else None]
    found = {find(name) for name in written}
    return {name for name in list(leader) if find(name) in found}
