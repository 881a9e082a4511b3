"""Cases whose inputs are dense, for systems whose programs have no other: a strided input or buffer, or a window on a
storage, becomes a view of its storage, which is what is fed.

Tensors that share memory share it then inside the graph, where the compiler under test sees it. The view is the one
that composes best with others: functionalization refuses writes through views of an as_strided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import torch

from adapters.torch.case_module import Build, Instance, Program, Ran, case_module
from adapters.worker.case_text import contiguous_strides, split_type
from adapters.worker.system import Json, Stages

ALL = ("inputs", "buffers")  # the groups of sources that are fed

Taken = Callable[[Sequence[int], Sequence[int]], bool]  # whether a tensor of these sizes and strides is fed as it is


def is_row_major(sizes: Sequence[int], strides: Sequence[int]) -> bool:
    return list(strides) == contiguous_strides(sizes)


def is_flattened(spec: Json, taken: Taken = is_row_major) -> bool:
    """Whether that input or buffer is fed as its storage."""
    sizes, strides = layout_of(spec)
    return "storage" in spec or not taken(sizes, strides)


def layout_of(spec: Json) -> tuple[list[int], list[int]]:
    _, sizes = split_type(spec["type"])
    return sizes, spec.get("strides", contiguous_strides(sizes))


def source_of(name: str, spec: Json, taken: Taken = is_row_major) -> str:
    """The input of the flattened graph that holds it."""
    return spec.get("storage", f"{name}_storage" if is_flattened(spec, taken) else name)


def dense_order(spec: Json) -> list[int] | None:
    """The dims from the outermost in memory on, where that is all that tells it from a row-major tensor."""
    sizes, strides = layout_of(spec)
    order = sorted(range(len(sizes)), key=lambda dim: -strides[dim])
    dense = is_row_major([sizes[dim] for dim in order], [strides[dim] for dim in order])
    return order if dense and "storage" not in spec else None


def sizes_fed(graph: Json, name: str, spec: Json) -> list[int]:
    """The sizes of the source that holds it."""
    if "storage" in spec:
        return split_type(graph["storages"][spec["storage"]]["type"])[1]
    sizes, strides = layout_of(spec)
    order = dense_order(spec)
    if order is not None:
        return [sizes[dim] for dim in order]
    return [extent(sizes, strides)]


def extent(sizes: Sequence[int], strides: Sequence[int]) -> int:
    """How many elements of a storage lie from its first to its last."""
    return 0 if 0 in sizes else 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))


def views_of(name: str, source: str, spec: Json) -> list[Json]:
    """The nodes that make it of its source: a permute, a slice of every n-th element reshaped, else an as_strided."""
    sizes, strides = layout_of(spec)
    order = dense_order(spec)
    if order is not None:
        dims = [order.index(dim) for dim in range(len(order))]
        return [{"out": name, "op": "aten.permute.default", "args": [f"%{source}", dims]}]
    offset = spec.get("offset", 0)
    step = strides[-1] if sizes else 1
    if step > 0 and list(strides) == [step * stride for stride in contiguous_strides(sizes)]:
        part, end = f"{name}_part", offset + extent(sizes, strides)
        return [
            {"out": part, "op": "aten.slice.Tensor", "args": [f"%{source}", 0, offset, end, step]},
            {"out": name, "op": "aten.view.default", "args": [f"%{part}", sizes]},
        ]
    return [{"out": name, "op": "aten.as_strided.default", "args": [f"%{source}", sizes, strides, offset]}]


def flattened(graph: Json, groups: Sequence[str] = ALL, taken: Taken = is_row_major) -> Json:
    """The graph with dense inputs: the sources that sources() gives, in that order. What `groups` does not name stays
    what it is."""
    inputs: Json = {}
    views = []
    for name, spec in [entry for group in groups for entry in graph.get(group, {}).items()]:
        source = source_of(name, spec, taken)
        if source == name:
            inputs[name] = {key: value for key, value in spec.items() if key != "data"}
            continue
        dtype, _ = split_type(spec["type"])
        sizes = ",".join(str(size) for size in sizes_fed(graph, name, spec))
        inputs.setdefault(source, {"type": f"{dtype}[{sizes}]"})
        views += views_of(name, source, spec)
    flat = {**graph, "inputs": inputs, "nodes": [*views, *graph["nodes"]]}
    if "buffers" in groups:
        flat["buffers"] = {}
    if "storages" in graph:
        flat["storages"] = {name: spec for name, spec in graph["storages"].items() if name not in inputs}
    return flat


def sources(
    graph: Json, tensors: Mapping[str, torch.Tensor], groups: Sequence[str] = ALL, taken: Taken = is_row_major
) -> dict[str, torch.Tensor]:
    """What is fed to the flattened graph where these are the inputs and buffers: views of their memory, so that what is
    copied into one shows in the tensors."""
    made: dict[str, torch.Tensor] = {}
    for name, spec in [entry for group in groups for entry in graph.get(group, {}).items()]:
        source = source_of(name, spec, taken)
        if source not in made:
            fed = sizes_fed(graph, name, spec)
            made[source] = (
                tensors[name] if source == name else tensors[name].as_strided(fed, contiguous_strides(fed), 0)
            )
    return made


Place = tuple[torch.Size, tuple[int, ...], int]  # sizes, strides, offset


def places_after(flat: Json, fed: Sequence[torch.Tensor], names: Sequence[str]) -> dict[str, Place]:
    """Where these inputs and buffers lie in their sources after a run in eager, which writes to what is fed: squeeze_
    changes it."""
    ended = case_module({**flat, "outputs": [f"%{name}" for name in names]})(*fed)
    return {name: (one.size(), one.stride(), one.storage_offset()) for name, one in zip(names, ended, strict=True)}


def densely_fed(build: Build, taken: Taken) -> Build:
    """`build` for a system whose programs take only such inputs."""

    def build_dense(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> Program:
        specs = graph.get("inputs", {})
        if not any(is_flattened(spec, taken) for spec in specs.values()):
            return build(graph, inputs, stages)
        flat = flattened(graph, ("inputs",), taken)

        def feed(given: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            return tuple(sources(graph, dict(zip(specs, given, strict=True)), ("inputs",), taken).values())

        fed = feed(inputs)
        program = build(flat, fed, stages)
        places = places_after(flat, [one.clone(memory_format=torch.preserve_format) for one in fed], list(specs))

        def named(after: Mapping[str, torch.Tensor | None]) -> dict[str, torch.Tensor | None]:
            held = {name: after[source_of(name, spec, taken)] for name, spec in specs.items()}
            flats = [name for name, spec in specs.items() if is_flattened(spec, taken) and held[name] is not None]
            return {**held, **{name: held[name].as_strided(*places[name]) for name in flats}}

        def start(inner: Callable[[], Instance]) -> Instance:
            instance = inner()

            def run(given: tuple[torch.Tensor, ...]) -> Ran:
                ran = instance(feed(given))
                return Ran(ran.outputs, named(ran.inputs), ran.buffers)

            return run

        def keep(folder: Path, given: tuple[torch.Tensor, ...]) -> None:
            program.keep(folder, feed(given))

        before = {name: partial(start, made) for name, made in program.stages.items()}
        return Program(
            partial(start, program.start), program.facts, before, keep if program.keep else None, program.late_facts
        )

    return build_dense
