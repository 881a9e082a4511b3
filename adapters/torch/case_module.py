"""A case file as a torch.nn.Module and its inputs. No code per op: a node calls torch.ops.aten.<name>.<overload>.

Buffers are registered buffers, constants plain tensor attributes, as in a model that somebody wrote.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from adapters.torch.control_flow import WRITTEN, ControlFlow
from adapters.torch.straight_line import Resolve, forward_of, overload
from adapters.torch.tensors import DTYPES, decode, encode, parse_type, strided
from adapters.worker.case_methods import method_graph, with_methods
from adapters.worker.case_symbols import feeds_of, program_graph, symbolic_dims
from adapters.worker.case_text import fed
from adapters.worker.system import Json, Stages, UnsupportedError
from adapters.worker.three_runs import Run, check_requirements, three_runs


class Sources:
    """The tensors that exist before the nodes run, made afresh: windows on one storage share its memory."""

    def __init__(self, graph: Json, feed: Mapping[str, Any]) -> None:
        self._feed = feed
        self._storages = {name: self._storage(name, spec) for name, spec in graph.get("storages", {}).items()}

    def _storage(self, name: str, spec: Json) -> torch.Tensor | None:
        type_text, data = fed(spec["type"], spec.get("data", self._feed.get(name)))
        return None if data is None else decode(data, *parse_type(type_text))

    def tensor(self, name: str, spec: Json) -> torch.Tensor:
        """The input, constant or buffer of that name. What is fed may be of other sizes than the graph says."""
        strides = spec.get("strides")
        if "storage" not in spec:
            type_text, data = fed(spec["type"], spec.get("data", self._feed.get(name)))
            return strided(decode(data, *parse_type(type_text)), strides)
        _, sizes = parse_type(spec["type"])
        storage = self._storages[spec["storage"]]
        assert storage is not None, f"nothing was fed for storage {spec['storage']}"
        like = strides if strides is not None else torch.empty(sizes, device="meta").stride()
        return storage.as_strided(sizes, list(like), spec.get("offset", 0))


def case_module(graph: Json, resolve: Resolve = overload, control: ControlFlow = WRITTEN) -> torch.nn.Module:
    """The graph of a case, called with its inputs in order."""
    attributes = {name: f"buffer_{name}" for name in graph.get("buffers", {})}
    attributes |= {name: f"constant_{name}" for name in graph.get("constants", {})}
    # A class of its own: compilers look forward() up there.
    module = type("Case", (torch.nn.Module,), {"forward": forward_of(graph, attributes, resolve, control)})()
    state = Sources(graph, {})
    for name, spec in graph.get("constants", {}).items():
        setattr(module, f"constant_{name}", state.tensor(name, spec))
    renew_buffers(graph, module.register_buffer)
    return module


def renew_buffers(graph: Json, put: Callable[[str, torch.Tensor], None]) -> None:
    """Puts new buffers that hold their first data where the module, or what a compiler made of it, has its own."""
    state = Sources(graph, {})
    for name, spec in graph.get("buffers", {}).items():
        put(f"buffer_{name}", state.tensor(name, spec))


@dataclass
class Ran:
    """What one run gave back; None is what the system does not hand back."""

    outputs: list[torch.Tensor]
    inputs: dict[str, torch.Tensor | None]
    buffers: dict[str, torch.Tensor | None]
    identity: list[int] | None = None

    def encode_outputs(self) -> list[Json]:
        return [encode(output) for output in self.outputs]

    def encode(self) -> Json:
        reply: Json = {
            "outputs": self.encode_outputs(),
            "inputs": {name: None if value is None else encode(value) for name, value in self.inputs.items()},
            "buffers": {name: None if value is None else encode(value) for name, value in self.buffers.items()},
        }
        return reply if self.identity is None else {**reply, "identity": self.identity}


# Keeps its buffers from call to call. Takes the inputs and, where a method is called, its name.
Instance = Callable[..., Ran]


@dataclass
class Program:
    """A compiled case."""

    start: Callable[[], Instance]  # a fresh instance; the one before is done
    facts: Json = field(default_factory=dict)  # more parts of the reply, such as "delegated"
    # What the case had become after each stage before the last, in order: run only where somebody asks.
    stages: dict[str, Callable[[], Instance]] = field(default_factory=dict)
    # Writes what was compiled, and what a run with these inputs needs, into a folder.
    keep: Callable[[Path, tuple[torch.Tensor, ...]], None] | None = None
    late_facts: Callable[[], Json] = dict  # parts that are known only after the runs, such as "recompiled"
    start_warm: Callable[[], Instance] | None = None  # an instance of what `start` left in a cache


# Compiles a graph once; the tensors are inputs to trace it with.
Build = Callable[[Json, tuple[torch.Tensor, ...], Stages], Program]


def run_protocol(request: Json, stages: Stages, build: Build, more: Collection[str] = ()) -> Json:
    """A, then B on the same instance, A's outputs read again, then A on a fresh instance. A case with symbols is built
    at their bound, once, and run at the sizes of its runs.

    `more` is what else a case may require: "instances" where each start has buffers of its own, which two instances
    that take turns need (a module has one set of buffers, which a fresh instance starts anew), and "methods".
    """
    case = request["case"]
    check_requirements(case, ("runs", "symbols", "subgraphs", "quantized", *more))
    graph = with_methods(case, program_graph(case))
    if request.get("threads", 1) > 1 and graph.get("buffers"):
        raise UnsupportedError("a program with buffers on several threads: its instances share them")
    first_feed = feeds_of(case)[0]

    def inputs(feed: Json, method: str | None = None) -> tuple[torch.Tensor, ...]:
        return inputs_of(method_graph(graph, method), feed)

    program = build(graph, at_bound(graph, inputs(first_feed)), stages)

    if program.keep is not None and request.get("artifact"):
        program.keep(Path(request["artifact"]), inputs(first_feed))  # before the run, which may be the end

    def starts(make: Callable[[], Instance]) -> Callable[[], Run]:
        def start() -> Run:
            instance = make()

            def run(feed: Json, *method: str) -> Ran:
                return instance(inputs(feed, *method), *method)

            return run

        return start

    warm = starts(program.start_warm) if program.start_warm else None
    reply = {**program.facts, **three_runs(request, stages, starts(program.start), warm), **program.late_facts()}
    if request.get("stages"):
        reply["stages"] = [run_stage(name, made, inputs(first_feed)) for name, made in program.stages.items()]
    return reply


def inputs_of(graph: Json, feed: Mapping[str, Any]) -> tuple[torch.Tensor, ...]:
    """What a feed gives to the inputs of a graph, in order."""
    sources = Sources(graph, feed)
    return tuple(sources.tensor(name, spec) for name, spec in graph.get("inputs", {}).items())


def at_bound(graph: Json, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    """Inputs to compile a graph with that has symbols: those of a run, repeated until they have the sizes of the bound.
    An index that is in range at smaller sizes is so here."""
    if "symbols" not in graph:
        return inputs

    def widened(name: str, spec: Json, given: torch.Tensor) -> torch.Tensor:
        if not symbolic_dims(graph, name):
            return given
        _, sizes = parse_type(spec["type"])
        if given.numel() == 0:
            return torch.zeros(sizes, dtype=given.dtype)
        times = [-(-size // had) for size, had in zip(sizes, given.shape, strict=True)]
        whole = given.repeat(times)
        return whole[tuple(slice(size) for size in sizes)].clone(memory_format=torch.contiguous_format)

    specs = graph["inputs"].items()
    return tuple(widened(name, spec, given) for (name, spec), given in zip(specs, inputs, strict=True))


def run_stage(name: str, start: Callable[[], Instance], inputs: tuple[torch.Tensor, ...]) -> Json:
    """What the case does as it was after that stage; what fails there is said, and does not end the case."""
    try:
        return {"name": name, **start()(inputs).encode()}
    except Exception as error:
        return {"name": name, "error": f"{type(error).__name__}: {error}"}


def live(
    graph: Json,
    module: torch.nn.Module,
    identity: bool,
    call: Callable[..., Any] | None = None,
    put: Callable[[str, torch.Tensor], None] | None = None,
) -> Callable[[], Instance]:
    """Instances of a call that writes to the caller's tensors and to the buffers of `module` itself.

    `identity` tells which tensors share storage, where the system promises that they do as in eager. What is called is
    the module, and its buffers are registered ones, unless it is told otherwise.
    """

    def start() -> Instance:
        renew_buffers(graph, put or module.register_buffer)

        def run(inputs: tuple[torch.Tensor, ...]) -> Ran:
            with grad_mode(inputs):
                outputs = list((module if call is None else call)(*inputs))
            buffers = {name: module.get_buffer(f"buffer_{name}") for name in graph.get("buffers", {})}
            named = dict(zip(graph.get("inputs", {}), inputs, strict=True))
            tensors = [*inputs, *buffers.values(), *outputs]
            return Ran(outputs, named, buffers, storage_numbers(tensors) if identity else None)

        return run

    return start


def grad_mode(inputs: tuple[torch.Tensor, ...]) -> torch.set_grad_enabled:
    """Whether autograd records: where somebody will ask for gradients."""
    return torch.set_grad_enabled(any(tensor.requires_grad for tensor in inputs))


def storage_numbers(tensors: list[torch.Tensor]) -> list[int]:
    """One number a tensor, equal where two share a storage, in order of first appearance."""
    numbers: dict[int, int] = {}
    # The storage object, not its address: empty storages have none.
    return [numbers.setdefault(tensor.untyped_storage()._cdata, len(numbers)) for tensor in tensors]


def quiet_single_thread() -> None:
    """One thread, so that a sum has one order, and no warnings among what is read back of standard error."""
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)


def all_ops() -> list[str]:
    """Every ATen overload that this PyTorch has, as "aten.add.Tensor"."""
    schemas = torch._C._jit_get_all_schemas()
    return sorted({f"aten.{s.name[6:]}.{s.overload_name or 'default'}" for s in schemas if s.name.startswith("aten::")})


def torch_hello(name: str, profile: str | Json, package: str = "torch", promises_identity: bool = True) -> Json:
    """The greeting of a target that takes whatever PyTorch has. Most share storage exactly as eager does."""
    versions = {part: version(part) for part in dict.fromkeys((package, "torch"))}
    return {
        "name": name,
        "version": versions[package],
        "versions": versions,
        "dtypes": list(DTYPES),
        "ops": None,
        "profile": profile,
        "promises_identity": promises_identity,
    }
