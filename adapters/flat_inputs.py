"""Cases whose inputs are dense, for systems whose models have no other: a strided input or buffer, or a window on a
storage, becomes an as_strided of its storage, which is what is fed.

Tensors that share memory share it then inside the graph, where the compiler under test sees it.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch

from case_text import contiguous_strides, split_type
from worker import Json


def is_flattened(spec: Json) -> bool:
    """Whether that input or buffer is fed as its storage."""
    _, sizes = split_type(spec["type"])
    return "storage" in spec or spec.get("strides", contiguous_strides(sizes)) != contiguous_strides(sizes)


def source_of(name: str, spec: Json) -> str:
    """The input of the flattened graph that holds it."""
    return spec.get("storage", f"{name}_storage" if is_flattened(spec) else name)


def flattened(graph: Json) -> Json:
    """The graph with dense inputs: those of the sources that sources() gives, in that order. It has no buffers."""
    inputs: Json = {}
    views = []
    for name, spec in {**graph.get("inputs", {}), **graph.get("buffers", {})}.items():
        dtype, sizes = split_type(spec["type"])
        source = source_of(name, spec)
        if source == name:
            inputs[name] = {"type": spec["type"]}
            continue
        strides = spec.get("strides", contiguous_strides(sizes))
        inputs.setdefault(source, {"type": f"{dtype}[{extent(graph, name, spec)}]"})
        views.append({"out": name, "op": "aten.as_strided.default",
                      "args": [f"%{source}", sizes, strides, spec.get("offset", 0)]})  # fmt: skip
    rest = {key: value for key, value in graph.items() if key not in ("inputs", "buffers", "storages")}
    return {**rest, "inputs": inputs, "buffers": {}, "nodes": [*views, *graph["nodes"]]}


def extent(graph: Json, name: str, spec: Json) -> int:
    """How many elements its storage has."""
    if "storage" in spec:
        return split_type(graph["storages"][spec["storage"]]["type"])[1][0]
    _, sizes = split_type(spec["type"])
    if 0 in sizes:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(sizes, spec["strides"], strict=True))


def sources(graph: Json, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """What is fed to the flattened graph where these are the inputs and buffers: views of their memory, so that what is
    copied into one shows in the tensors."""
    made: dict[str, torch.Tensor] = {}
    for name, spec in {**graph.get("inputs", {}), **graph.get("buffers", {})}.items():
        source = source_of(name, spec)
        tensor = tensors[name]
        if source == name:
            made[name] = tensor
        elif source not in made:
            made[source] = tensor.as_strided((extent(graph, name, spec),), (1,), 0)
    return made
