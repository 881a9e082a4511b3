"""The table from ONNX operators to what writes them as ATen calls: rows/ fills it, model.py reads it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.values import Builder, Value

Results = Value | Sequence[Value | None]
Call = Callable[[Builder, Node], Results]

# The operator set that the rows were written against: a version beyond it may mean something else.
NEWEST = 28


@dataclass(frozen=True)
class Row:
    """What an operator is from one version to another."""

    call: Call
    since: int
    until: int


TABLE: dict[str, list[Row]] = {}


def row(*kinds: str, since: int = 1, until: int = NEWEST) -> Callable[[Call], Call]:
    """Registers a function for these operators, at the versions that `since` and `until` include."""

    def register(call: Call) -> Call:
        for kind in kinds:
            TABLE.setdefault(kind, []).append(Row(call, since, until))
        return call

    return register


def find(kind: str, version: int) -> Row | None:
    return next((one for one in TABLE.get(kind, []) if one.since <= version <= one.until), None)
