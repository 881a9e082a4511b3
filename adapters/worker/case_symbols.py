"""The symbols of a case: sizes of inputs that change from run to run (docs/case-format.md). Standard library only.

What an adapter lowers is the graph at the bound, every symbol at its greatest: program_graph(). Which dims of its
inputs stand for more sizes is said beside it, and what compiles asks symbolic_dims(). Numbers of calls that hang on a
symbol stay as they are written ("$2*B+1"); at_sizes() gives a graph without symbols.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from adapters.worker.system import Json

_RELATION = re.compile(r"(?:([0-9]+)\*)?([A-Za-z_][A-Za-z0-9_]*)(?:([+-])([0-9]+))?")


@dataclass(frozen=True)
class Relation:
    """A size that hangs on a symbol: factor * symbol + offset."""

    symbol: str
    factor: int = 1
    offset: int = 0

    def at(self, sizes: Mapping[str, int]) -> int:
        return self.factor * sizes[self.symbol] + self.offset

    def solve(self, size: int) -> int:
        """The symbol's size where that is `size`."""
        return (size - self.offset) // self.factor


def relation(text: str) -> Relation | None:
    """The relation in "B" or "2*B+1"; nothing for a number."""
    found = _RELATION.fullmatch(text.strip())
    if not found:
        return None
    factor, symbol, sign, offset = found.groups()
    return Relation(symbol, int(factor or 1), int(f"{sign or ''}{offset or 0}"))


def number(argument: Any) -> Relation | None:
    """What an argument hangs on: "$2*B+1"; nothing for any other."""
    return relation(argument[1:]) if isinstance(argument, str) and argument.startswith("$") else None


def _sizes(type_text: str) -> list[str]:
    return [size for size in type_text.partition("[")[2].rstrip("]").split(",") if size.strip()]


def _type_at(type_text: str, sizes: Mapping[str, int]) -> str:
    dtype = type_text.partition("[")[0]
    relations = [(text, relation(text)) for text in _sizes(type_text)]
    return f"{dtype}[{','.join(str(found.at(sizes)) if found else text for text, found in relations)}]"


def program_graph(case: Json) -> Json:
    """The case's graph; where the case has symbols, at their bound, with what is symbolic beside it. A symbol of one
    size is a number."""
    graph, symbols = case["graph"], case.get("symbols")
    if not symbols:
        return graph
    bound = {name: high for name, (_, high) in symbols.items()}
    open_symbols = {name: [low, high] for name, (low, high) in symbols.items() if low < high}
    dims: Json = {}
    for name, spec in graph["inputs"].items():
        relations = [(dim, text, relation(text)) for dim, text in enumerate(_sizes(spec["type"]))]
        found = {str(dim): text for dim, text, one in relations if one and one.symbol in open_symbols}
        if found:
            dims[name] = found
    inputs = {name: {**spec, "type": _type_at(spec["type"], bound)} for name, spec in graph["inputs"].items()}
    fixed = {name: size for name, size in bound.items() if name not in open_symbols}
    made = {**graph, "inputs": inputs, "nodes": [_node_at(node, fixed) for node in graph.get("nodes", [])]}
    return {**made, "symbols": open_symbols, "symbolic_dims": dims} if open_symbols else made


def symbolic_dims(graph: Json, name: str) -> dict[int, Relation]:
    """By dim of that input, what hangs on a symbol; of a graph that program_graph() made."""
    dims = graph.get("symbolic_dims", {}).get(name, {})
    return {int(dim): found for dim, text in dims.items() if (found := relation(text))}


def at_sizes(graph: Json, sizes: Mapping[str, int]) -> Json:
    """A graph that program_graph() made, at other sizes and without symbols."""
    if "symbols" not in graph:
        return graph

    def resized(name: str, spec: Json) -> Json:
        dims = symbolic_dims(graph, name)
        dtype, _, rest = spec["type"].partition("[")
        parts = rest.rstrip("]").split(",")
        for dim, found in dims.items():
            parts[dim] = str(found.at(sizes))
        return {**spec, "type": f"{dtype}[{','.join(parts)}]"} if dims else spec

    plain = {key: value for key, value in graph.items() if key not in ("symbols", "symbolic_dims")}
    inputs = {name: resized(name, spec) for name, spec in graph["inputs"].items()}
    return {**plain, "inputs": inputs, "nodes": [_node_at(node, sizes) for node in graph.get("nodes", [])]}


def _node_at(node: Json, sizes: Mapping[str, int]) -> Json:
    """A node whose numbers that hang on these symbols are what they are there."""

    def settled(argument: Any) -> Any:
        if isinstance(argument, list):
            return [settled(element) for element in argument]
        found = number(argument)
        return found.at(sizes) if found and found.symbol in sizes else argument

    kwargs = {name: settled(value) for name, value in node.get("kwargs", {}).items()}
    return {**node, "args": settled(node.get("args", [])), "kwargs": kwargs}


def sizes_of(graph: Json, feed: Mapping[str, Any]) -> dict[str, int]:
    """What a feed makes of the symbols of a graph that program_graph() made."""
    sizes: dict[str, int] = {}
    for name in graph.get("symbolic_dims", {}):
        fed = _sizes(feed[name]["type"])
        for dim, found in symbolic_dims(graph, name).items():
            sizes[found.symbol] = found.solve(int(fed[dim]))
    return sizes


def feeds_of(case: Json) -> list[Json]:
    """What is fed in each run, the first one first."""
    return [run["feed"] for run in case["runs"]] if "runs" in case else [case["feed"]]
