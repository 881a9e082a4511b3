"""The methods of a case: further functions of one program over the buffers of its graph (docs/case-format.md).

Standard library only. A graph with methods is what program_graph() gives with "methods" beside the nodes: each of them
a graph of its own, with the buffers of the case's.
"""

from __future__ import annotations

from adapters.worker.system import Json

# What is fed to an input that nothing but its type is asked of.
_ZEROS = {"random": {"seed": 0, "low": 0, "high": 0}}


def with_methods(case: Json, graph: Json) -> Json:
    """The graph of a case and, beside it, the methods that the case has."""
    if not case.get("methods"):
        return graph
    return {**graph, "methods": {name: _whole(graph, method) for name, method in case["methods"].items()}}


def _whole(graph: Json, method: Json) -> Json:
    shared = {name: spec for name, spec in graph.get("storages", {}).items() if "data" in spec}
    storages = {**shared, **method.get("storages", {})}
    return {**method, "buffers": graph.get("buffers", {}), **({"storages": storages} if storages else {})}


def method_graph(graph: Json, method: str | None) -> Json:
    """The graph that a run calls; without a method it is the case's own."""
    return graph if method is None else graph["methods"][method]


def called_methods(case: Json) -> list[str | None]:
    """By run, the method that it calls."""
    return [run.get("method") for run in case.get("runs", [{}])]


def zero_feed(graph: Json) -> Json:
    """A feed of zeros, to trace a graph with."""
    fed = [*graph.get("inputs", {}), *graph.get("storages", {})]
    return dict.fromkeys(fed, _ZEROS)
