"""The way of a case through a runtime that takes ONNX models. Its targets share it; they differ in how a model is run.

State is the adapter's to carry: buffers are inputs of the model, and what was written comes back as further outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from adapters.onnx.writer import OPS, QUANTIZED_OPS, MoreFunctions, Written, write
from adapters.worker.arrays import DTYPES, Array, decode, encode, window
from adapters.worker.case_symbols import at_sizes, feeds_of, program_graph, sizes_of
from adapters.worker.case_text import fed
from adapters.worker.last_program import remembered
from adapters.worker.system import Json, Rejection, Stages, System
from adapters.worker.three_runs import Run, check_requirements, three_runs

# The dtypes of a runtime whose Python module takes and gives numpy's own, which has no bf16.
NUMPY_DTYPES = ("bool", "u8", "i8", "i16", "i32", "i64", "f16", "f32", "f64")

# What a case may require. Which of its calls a runtime's model has no counterpart for is found by name.
TAKEN = ("runs", "instances", "symbols", "subgraphs", "quantized")

Instance = Callable[[list[Array]], Sequence[Array]]  # the model's inputs, in order, to its outputs


@dataclass
class Program:
    """A compiled model."""

    start: Callable[[], Instance]
    facts: Json = field(default_factory=dict)  # more parts of the reply
    keep: Callable[[Path], None] | None = None  # writes what was compiled into a folder
    start_warm: Callable[[], Instance] | None = None  # loads what `start` left in a cache


Build = Callable[[Written, Stages], Program]


def copy_of(value: object, dtype: str) -> Array:
    """A result in memory of its own: a runtime may give back its operand, or write there again at its next run.

    An element type other than the model's is not hidden.
    """
    data = np.array(value)
    if data.dtype != DTYPES[dtype]:
        raise TypeError(f"a result is {data.dtype}, and the model says {dtype}")
    return data


@dataclass
class Ran:
    """What one run gave back."""

    outputs: list[Array]
    inputs: dict[str, Array]
    buffers: dict[str, Array]

    def encode_outputs(self) -> list[Json]:
        return [encode(output) for output in self.outputs]

    def encode(self) -> Json:
        return {
            "outputs": self.encode_outputs(),
            "inputs": {name: encode(value) for name, value in self.inputs.items()},
            "buffers": {name: encode(value) for name, value in self.buffers.items()},
        }


class Session:
    """An instance of a program and its buffers. `at` says where things lie for a feed: at other sizes they lie
    elsewhere."""

    def __init__(
        self, case_graph: Json, written: Written, instance: Instance, at: Callable[[Json], Written] | None = None
    ) -> None:
        self._case_graph = case_graph
        self._written = written
        self._instance = instance
        self._at = at
        self._state: dict[str, Array] = {}
        for group in ("storages", "buffers"):
            for name, spec in case_graph.get(group, {}).items():
                if "data" in spec:
                    self._state[name] = self._source(name, spec, spec["data"])

    def _source(self, name: str, spec: Json, data: object) -> Array:
        """The array of a model's input: dense, or a storage with the elements in their places."""
        type_text, data = fed(spec["type"], data)
        dense = decode(data, type_text)
        place = self._written.windows.get(name)
        if place is None or not place.flat:
            return dense
        storage = np.zeros(place.layout.extent(), dtype=dense.dtype)
        storage[place.layout.elements().reshape(-1)] = dense.reshape(-1)
        return storage

    def run(self, feed: Json) -> Ran:
        specs = {**self._case_graph.get("storages", {}), **self._case_graph.get("inputs", {})}
        sources = {name: self._source(name, specs[name], data) for name, data in feed.items()} | self._state
        graph = self._written.graph
        results = self._instance([sources[value.name] for value in graph.inputs])
        found = dict(zip((value.name for value in graph.outputs), results, strict=True))
        for source, name in self._written.updated.items():
            sources[source] = found[name]
            if source in self._state:
                self._state[source] = found[name]
        outputs = [found[name] for name in self._written.outputs]
        written = self._at(feed) if self._at else self._written
        return Ran(outputs, self._named("inputs", sources, written), self._named("buffers", sources, written))

    def _named(self, group: str, sources: Mapping[str, Array], written: Written) -> dict[str, Array]:
        named = {}
        for name in self._case_graph.get(group, {}):
            layout = written.final[name]
            flat = np.ascontiguousarray(sources[self._written.windows[name].source]).reshape(-1)
            array = np.empty(layout.sizes, dtype=flat.dtype)
            if layout.numel:
                array[...] = window(flat, layout.sizes, layout.strides, layout.offset)
            named[name] = array
        return named


Lower = Callable[[Json, Stages], tuple[Written, Program]]  # of a case's graph


def run_protocol(request: Json, stages: Stages, lower: Lower) -> Json:
    """A, then B on the same instance, A's outputs read again, then A on a fresh instance."""
    case = request["case"]
    check_requirements(case, TAKEN)
    graph = program_graph(case)
    dynamic = "symbols" in graph
    if dynamic:
        graph = {**graph, "run_sizes": [sizes_of(graph, feed) for feed in feeds_of(case)]}
    written, program = lower(graph, stages)
    if program.keep is not None and request.get("artifact"):
        program.keep(Path(request["artifact"]))  # before the run, which may be the end

    def at(feed: Json) -> Written:
        return write(at_sizes(graph, sizes_of(graph, feed)))

    def starts(instance: Callable[[], Instance]) -> Callable[[], Run]:
        def start() -> Run:
            with stages("load"):
                return Session(graph, written, instance(), at if dynamic else None).run

        return start

    warm = starts(program.start_warm) if program.start_warm else None
    return {**program.facts, **three_runs(request, stages, starts(program.start), warm)}


def make_system(
    name: str,
    version: str,
    dtypes: Sequence[str],
    profile: str,
    build: Build,
    rejections: tuple[Rejection, ...] = (),
    versions: Mapping[str, str] | None = None,
    explain: Callable[[str, str], str] = lambda message, _: message,
    ops: Sequence[str] = OPS,
    symbols: bool = False,
    subgraphs: bool | Sequence[str] = False,
    quantized: bool = False,
    more: Json | None = None,
    functions: MoreFunctions | None = None,
) -> System:
    """The system of a runtime that takes what the writer writes of these ops, and, where `symbols`, models of dims with
    names, where `subgraphs`, those with If, Loop and Scan, or the calls of that name alone, and where `quantized`,
    those that quantize. `more` goes into its greeting, and `functions` are those that the runtime has beside ONNX's."""
    hello = {
        "name": name,
        "version": version,
        "versions": {name: version, **(versions or {})},
        "dtypes": list(dtypes),
        "ops": [*ops, *(QUANTIZED_OPS if quantized else ())],
        "profile": profile,
        "several_runs": symbols,
        "subgraphs": subgraphs if isinstance(subgraphs, bool) else list(subgraphs),
        **(more or {}),
    }

    @remembered
    def lower(graph: Json, stages: Stages) -> tuple[Written, Program]:
        if "symbols" not in graph:
            written = write(graph, more=functions)
        else:
            # It asks ONNX's reference, which the environments of array libraries have not.
            from adapters.onnx.dynamic_model import write_dynamic

            written = write_dynamic(graph, graph["run_sizes"])
        return written, build(written, stages)

    return System(lambda: hello, lambda request, stages: run_protocol(request, stages, lower), rejections, explain)
