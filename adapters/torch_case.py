"""A case file as a torch.nn.Module and its inputs. No code per op: a node calls torch.ops.aten.<name>.<overload>.

Buffers are registered buffers, constants plain tensor attributes, as in a model that somebody wrote.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch

from case_text import value_name
from poison import fresh_memory
from tensors import DTYPES, decode, encode, parse_type, strided
from worker import Json, Stages, UnsupportedError

MEMORY_FORMATS: dict[str, torch.memory_format] = {
    "contiguous_format": torch.contiguous_format,
    "preserve_format": torch.preserve_format,
    "channels_last": torch.channels_last,
    "channels_last_3d": torch.channels_last_3d,
}
_WORDS: dict[str, Any] = {**DTYPES, **MEMORY_FORMATS, **{word: float(word) for word in ("nan", "inf", "-inf")}}


def convert(argument: Any, values: Mapping[str, Any]) -> Any:
    """A node's argument as Python has it: values, dtypes, memory formats, numbers, lists of these."""
    if isinstance(argument, list):
        return [convert(element, values) for element in argument]
    if isinstance(argument, str):
        name = value_name(argument)
        return values[name] if name else _WORDS.get(argument, argument)
    return argument


def overload(op: str) -> Callable[..., Any]:
    """The callable of "aten.add.Tensor"."""
    if op == "getitem":
        return lambda sequence, index: sequence[index]
    try:
        namespace, name, variant = op.split(".")
        return getattr(getattr(getattr(torch.ops, namespace), name), variant)
    except (AttributeError, ValueError) as error:
        raise UnsupportedError(f"this PyTorch has no {op}") from error


class Sources:
    """The tensors that exist before the nodes run, made afresh: windows on one storage share its memory."""

    def __init__(self, graph: Json, feed: Mapping[str, Any]) -> None:
        self._feed = feed
        self._storages = {name: self._storage(name, spec) for name, spec in graph.get("storages", {}).items()}

    def _storage(self, name: str, spec: Json) -> torch.Tensor | None:
        data = spec.get("data", self._feed.get(name))
        return None if data is None else decode(data, *parse_type(spec["type"]))

    def tensor(self, name: str, spec: Json) -> torch.Tensor:
        """The input, constant or buffer of that name."""
        dtype, sizes = parse_type(spec["type"])
        strides = spec.get("strides")
        if "storage" not in spec:
            return strided(decode(spec.get("data", self._feed.get(name)), dtype, sizes), strides)
        storage = self._storages[spec["storage"]]
        assert storage is not None, f"nothing was fed for storage {spec['storage']}"
        like = strides if strides is not None else torch.empty(sizes, device="meta").stride()
        return storage.as_strided(sizes, list(like), spec.get("offset", 0))


class CaseModule(torch.nn.Module):
    """The graph of a case, called with its inputs in order."""

    def __init__(self, graph: Json) -> None:
        super().__init__()
        self._inputs = list(graph.get("inputs", {}))
        self._nodes = [
            (n["out"], overload(n["op"]), n.get("args", []), n.get("kwargs", {})) for n in graph.get("nodes", [])
        ]
        self._outputs = list(graph["outputs"])
        self._attributes: dict[str, str] = {}  # by the value's name
        state = Sources(graph, {})
        for name, spec in graph.get("buffers", {}).items():
            self._attributes[name] = f"buffer_{name}"
            self.register_buffer(f"buffer_{name}", state.tensor(name, spec))
        for name, spec in graph.get("constants", {}).items():
            self._attributes[name] = f"constant_{name}"
            setattr(self, f"constant_{name}", state.tensor(name, spec))

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        values: dict[str, Any] = dict(zip(self._inputs, inputs, strict=True))
        values.update((name, getattr(self, attribute)) for name, attribute in self._attributes.items())
        for out, call, args, kwargs in self._nodes:
            named = {name: convert(argument, values) for name, argument in kwargs.items()}
            values[out] = call(*convert(args, values), **named)
        return tuple(convert(self._outputs, values))


@dataclass
class Ran:
    """What one run gave back; None is what the system does not hand back."""

    outputs: list[torch.Tensor]
    inputs: dict[str, torch.Tensor | None]
    buffers: dict[str, torch.Tensor | None]
    identity: list[int] | None = None

    def encode(self) -> Json:
        reply: Json = {
            "outputs": [encode(output) for output in self.outputs],
            "inputs": {name: None if value is None else encode(value) for name, value in self.inputs.items()},
            "buffers": {name: None if value is None else encode(value) for name, value in self.buffers.items()},
        }
        return reply if self.identity is None else {**reply, "identity": self.identity}


Instance = Callable[[tuple[torch.Tensor, ...]], Ran]  # keeps its buffers from call to call


@dataclass
class Program:
    """A compiled case."""

    start: Callable[[], Instance]  # a fresh instance
    facts: Json = field(default_factory=dict)  # more parts of the reply, such as "delegated"


# Compiles a graph once; the tensors are inputs to trace it with.
Build = Callable[[Json, tuple[torch.Tensor, ...], Stages], Program]


def run_protocol(request: Json, stages: Stages, build: Build) -> Json:
    """A, then B on the same instance, A's outputs read again, then A on a fresh instance."""
    case = request["case"]
    if case.get("requires"):
        raise UnsupportedError(f"cases that require {', '.join(case['requires'])}")
    graph = case["graph"]

    def inputs(feed: Json) -> tuple[torch.Tensor, ...]:
        sources = Sources(graph, feed)
        return tuple(sources.tensor(name, spec) for name, spec in graph.get("inputs", {}).items())

    program = build(graph, inputs(case["feed"]), stages)
    with fresh_memory(0x5A):
        first = program.start()
        with stages("run"):
            ran = first(inputs(case["feed"]))
        reply = {**program.facts, **ran.encode()}
        if request.get("second_feed") is not None:
            with stages("run"):
                second = first(inputs(request["second_feed"]))
            reply["b"] = second.encode()
            reply["kept"] = [encode(output) for output in ran.outputs]
    with fresh_memory(0xA5):
        fresh = program.start()
        with stages("run"):
            again = fresh(inputs(case["feed"]))
        reply["again"] = again.encode()
    return reply
