"""A case as a program without state, for exporters whose programs have none, or drop what a module writes.

Buffers are further inputs, and what eager writes to is a further result, as a user would have to spell it. The inputs
are dense: what is strided, or shares memory, is fed as its storage (flat_inputs.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch

from adapters.torch.case_module import Instance, Ran, Sources
from adapters.torch.flat_inputs import Place, flattened, places_after, sources
from adapters.worker.system import Json


@dataclass(frozen=True)
class Stateless:
    """A case's graph, and what stands in its place."""

    graph: Json  # the case's
    program: Json  # the flattened graph, with what is written as further outputs
    written: list[str]  # the inputs of the program that these are
    final: dict[str, Place]  # where each input and buffer lies afterwards: squeeze_ changes it
    example: tuple[torch.Tensor, ...]  # inputs of the program, to trace it with


# From the program's inputs, by their names, to its results.
Call = Callable[[Mapping[str, torch.Tensor]], Sequence[torch.Tensor]]


def state_of(graph: Json) -> dict[str, torch.Tensor]:
    """Its buffers, with their first data."""
    state = Sources(graph, {})
    return {name: state.tensor(name, spec) for name, spec in graph.get("buffers", {}).items()}


def without_state(graph: Json, inputs: tuple[torch.Tensor, ...]) -> Stateless:
    """The case as such a program. Eager runs it on these inputs, and writes there, which shows what it writes to."""
    tensors = {**dict(zip(graph.get("inputs", {}), inputs, strict=True)), **state_of(graph)}
    fed = sources(graph, tensors)
    example = tuple(tensor.clone() for tensor in fed.values())
    program = flattened(graph)
    before = {name: tensor._version for name, tensor in fed.items()}
    final = places_after(program, list(fed.values()), list(tensors))
    written = [name for name, tensor in fed.items() if tensor._version != before[name]]
    outputs = [*graph["outputs"], *(f"%{name}" for name in written)]
    return Stateless(graph, {**program, "outputs": outputs}, written, final, example)


def instance_of(case: Stateless, call: Call) -> Instance:
    """An instance of the program, whose state is carried here."""
    graph = case.graph
    state = state_of(graph)

    def run(inputs: tuple[torch.Tensor, ...]) -> Ran:
        tensors = {**dict(zip(graph.get("inputs", {}), inputs, strict=True)), **state}
        fed = sources(graph, tensors)
        results = list(call(fed))
        count = len(graph["outputs"])
        if len(results) != count + len(case.written):
            raise RuntimeError(f"{len(results)} results of {count} outputs and {len(case.written)} states")
        last = dict(zip(case.written, results[count:], strict=True))
        for source, value in last.items():
            if source not in tensors:
                fed[source].copy_(value)
        state.update((name, value) for name, value in last.items() if name in state)
        after = {name: last.get(name, tensor.as_strided(*case.final[name])) for name, tensor in tensors.items()}
        handed = {group: {name: after[name] for name in graph.get(group, {})} for group in ("inputs", "buffers")}
        return Ran(results[:count], handed["inputs"], handed["buffers"])

    return run
