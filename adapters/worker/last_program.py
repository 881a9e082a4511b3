"""The program of the graph that came last, kept: many feeds of one graph are lowered once. Standard library only."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from adapters.worker.system import Json

_asked = 0  # how often somebody asked to build anew


def forget_program() -> None:
    """The next run builds its program anew, whatever is kept: what earlier runs left in it is not there then."""
    global _asked
    _asked += 1


P = ParamSpec("P")
Made = TypeVar("Made")


def remembered(build: Callable[Concatenate[Json, P], Made]) -> Callable[Concatenate[Json, P], Made]:
    """`build`, which is not called again for a graph that is equal to the last one, its constants and state included.

    What was built must start afresh each time that it is run. An exception is not remembered, and nothing is after
    forget_program().
    """
    last: list[tuple[tuple[int, str], Made]] = []

    def build_or_reuse(graph: Json, *arguments: P.args, **named: P.kwargs) -> Made:
        key = (_asked, json.dumps(graph))
        if not last or last[0][0] != key:
            last.clear()
            last.append((key, build(graph, *arguments, **named)))
        return last[0][1]

    return build_or_reuse
