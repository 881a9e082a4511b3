"""The program of the graph that came last, kept: many feeds of one graph are lowered once. Standard library only."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from adapters.worker.system import Json

P = ParamSpec("P")
Made = TypeVar("Made")


def remembered(build: Callable[Concatenate[Json, P], Made]) -> Callable[Concatenate[Json, P], Made]:
    """`build`, which is not called again for a graph that is equal to the last one, its constants and state included.

    What was built must start afresh each time that it is run. An exception is not remembered.
    """
    last: list[tuple[str, Made]] = []

    def build_or_reuse(graph: Json, *arguments: P.args, **named: P.kwargs) -> Made:
        key = json.dumps(graph)
        if not last or last[0][0] != key:
            last.clear()
            last.append((key, build(graph, *arguments, **named)))
        return last[0][1]

    return build_or_reuse
