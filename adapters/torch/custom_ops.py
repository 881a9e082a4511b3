"""Operations that a case has a reference for, registered through torch.library as a user registers them.

The schema is the case's; the implementation, and that for fake tensors, is the reference run by eager.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import torch

from adapters.worker.system import Json

LIBRARY = "parallax"

Function = Callable[..., Any]

_library: torch.library.Library | None = None
_registered: dict[str, Any] = {}  # by their names there


def calls_in(graph: Json) -> list[Json]:
    """The calls of custom operations in a graph, whatever subgraph they stand in."""
    graphs = [graph, *graph.get("subgraphs", {}).values()]
    return [node for one in graphs for node in one.get("nodes", []) if node["op"] == "custom"]


def reference_of(call: Json) -> str:
    """The subgraph that a call's operation means."""
    return call["args"][0]["graph"]


class Registration:
    """What torch.library is told of an operation. A system whose runtime needs more has a class of its own."""

    def own(self, reference: Json) -> Function | None:
        """The system's own operation that means what a reference says: nothing is registered then."""
        return None

    def adapted(self, schema: str, function: Function) -> tuple[str, Function]:
        """The schema of a case's operation as it is registered, and its reference, which gives a tuple."""
        return schema, function

    def is_composite(self, schema: str) -> bool:
        """Whether an operation is registered as what it is made of, which a compiler then sees.

        PyTorch functionalizes no other whose result is an operand or a view of one, nor one that writes and may return
        None: "We only support functionalizing operators whose outputs do not have alias annotations".
        """
        operands, _, results = schema.rpartition(" -> ")
        return "Tensor(" in results or ("!" in operands and "Tensor?" in results)

    def defined(self, library: torch.library.Library, name: str, schema: str, run: Function) -> None:
        """Called once an operation is there that is not composite."""


_registration = Registration()


def register_by(registration: Registration) -> None:
    """From now on, in this process."""
    global _registration
    _registration = registration


def register(graph: Json, call: Json, function: Function) -> Function:
    """The overload that torch.library has for the call's operation; `function` runs its reference and gives a tuple.

    It is named for what it means, so that each is registered once in a process, and by the same name in the next.
    """
    global _library
    own = _registration.own(graph["subgraphs"][reference_of(call)])
    if own is not None:
        return own
    schema, function = _registration.adapted(call["schema"], function)
    meaning = json.dumps([schema, reference_of(call), graph["subgraphs"]])
    name = f"{reference_of(call)}_{hashlib.sha256(meaning.encode()).hexdigest()[:16]}"
    if name not in _registered:
        _library = _library or torch.library.Library(LIBRARY, "FRAGMENT")
        run = _as_schema(schema, function)
        _library.define(f"{name}{schema}")
        if _registration.is_composite(schema):
            _library.impl(name, run, "CompositeImplicitAutograd")
        else:
            _library.impl(name, run, "CompositeExplicitAutograd")
            torch.library.register_fake(f"{LIBRARY}::{name}", run, lib=_library)
            _registration.defined(_library, name, schema, run)
        _registered[name] = getattr(getattr(torch.ops, LIBRARY), name).default
    return _registered[name]


def _as_schema(schema: str, function: Function) -> Function:
    """The function with what it returns as the schema has it: nothing, one, or several."""
    results = schema.rpartition(" -> ")[2]
    if results == "()":

        def nothing(*operands: torch.Tensor) -> None:
            function(*operands)

        return nothing
    if not results.startswith("("):
        return lambda *operands: function(*operands)[0]
    return function


def call_text(function: str, operands: list[str], schema: str) -> str:
    """A call as a person writes it, whose results are read by their places."""
    text = f"{function}({', '.join(operands)})"
    results = schema.rpartition(" -> ")[2]
    return text if results.startswith("(") else f"({text},)"
