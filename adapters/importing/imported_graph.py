"""The graph of a case while it is made: sources that are declared once, nodes, and which memory was written to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import torch

from adapters.importing.weights_beside import MOST_INLINE_BYTES
from adapters.torch.tensors import NAMES, encode
from adapters.worker.case_text import contiguous_strides
from adapters.worker.one_answer import RefusedError

Json = dict[str, Any]

# A reply is one line of at most 256 MiB, in which three bytes take four characters. Weights go into a file.
MOST_BYTES = 180 << 20
MOST_WEIGHT_BYTES = 2 << 30
INPUT, BUFFER, CONSTANT = "inputs", "buffers", "constants"


@dataclass(eq=False)
class Value:
    """A tensor of the program as it runs on the example inputs, and its name in the case."""

    tensor: torch.Tensor
    name: str | None = None  # none: a constant that nothing has read yet
    fixed: bool = False  # whether it is the same for all inputs and calls


@dataclass(eq=False)
class Several:
    """The results of a call that has several, each of which a getitem names when it is first read."""

    name: str
    tensors: tuple[torch.Tensor | None, ...]
    fixed: bool
    values: dict[int, Value] = field(default_factory=dict)


@dataclass(eq=False)
class Source:
    section: str
    name: str
    value: Value
    entry: Json  # with "data", as it was before the run


def storage_of(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage()._cdata


def check_dense(tensor: torch.Tensor) -> None:
    if tensor.layout != torch.strided or type(tensor) not in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer):
        raise RefusedError(f"a tensor of {type(tensor).__name__} and {tensor.layout}")
    if tensor.device.type != "cpu":
        raise RefusedError(f"a tensor on {tensor.device}")
    if tensor.dtype not in NAMES:
        raise RefusedError(f"a tensor of {tensor.dtype}")


def entry(tensor: torch.Tensor) -> Json:
    """The declaration of a source; strides where they are not row-major."""
    encoded = encode(tensor)
    if list(tensor.stride()) != contiguous_strides(tensor.shape) and tensor.numel() > 1:
        encoded["strides"] = list(tensor.stride())
    return encoded


class ImportedGraph:
    def __init__(self) -> None:
        self.nodes: list[Json] = []
        self.outputs: list[str] = []
        self.subgraphs: Json = {}
        self._sources: list[Source] = []
        self._taken: set[str] = set()
        self._written: set[int] = set()  # storages
        self._tied: dict[tuple[Any, ...], Value] = {}
        self._bytes = 0
        self._weight_bytes = 0

    def name(self, hint: str) -> str:
        stem = re.sub(r"[^A-Za-z0-9_]", "_", hint)
        name = stem if re.match(r"[A-Za-z_]", stem) else f"v_{stem}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name

    def source(self, section: str, hint: str, tensor: torch.Tensor) -> Value:
        """Declares it. Constants that are one tensor are declared once, as tied weights are."""
        tensor = tensor.detach()
        place = (storage_of(tensor), tensor.storage_offset(), tensor.shape, tensor.stride(), tensor.dtype)
        if section == CONSTANT and tensor.numel() > 0 and place in self._tied:
            return self._tied[place]
        if section == INPUT or tensor.nbytes <= MOST_INLINE_BYTES:
            self._bytes += tensor.nbytes
        else:
            self._weight_bytes += tensor.nbytes
        if self._bytes > MOST_BYTES:
            raise RefusedError(f"its tensors are more than a case's line holds, {MOST_BYTES >> 20} MiB")
        if self._weight_bytes > MOST_WEIGHT_BYTES:
            raise RefusedError(f"its weights are more than {MOST_WEIGHT_BYTES >> 30} GiB")
        value = Value(tensor, self.name(hint), section == CONSTANT)
        self._sources.append(Source(section, value.name or "", value, entry(tensor)))
        if section == CONSTANT:
            self._tied[place] = value
        return value

    def named(self, value: Value) -> str:
        """Its name; a constant is declared when it is first read."""
        if value.name is None:
            declared = self.source(CONSTANT, "constant", value.tensor)
            value.name = declared.name
        return value.name or ""

    def call(self, hint: str, op: str, args: list[Any], kwargs: Json) -> str:
        name = self.name(hint)
        record: Json = {"out": name, "op": op, "args": args}
        self.nodes.append({**record, "kwargs": kwargs} if kwargs else record)
        return name

    def element(self, several: Several, index: int, hint: str) -> Value:
        tensor = several.tensors[index]
        if tensor is None:
            raise RefusedError(f"node {hint}: result {index} has no counterpart")
        if index not in several.values:
            name = self.call(hint, "getitem", [f"%{several.name}", index], {})
            several.values[index] = Value(tensor, name, several.fixed)
        return several.values[index]

    def wrote(self, tensor: torch.Tensor) -> None:
        self._written.add(storage_of(tensor))

    def is_written(self, tensor: torch.Tensor) -> bool:
        return storage_of(tensor) in self._written

    def write(self) -> tuple[Json, Json]:
        """The graph and the feed."""
        graph: Json = {INPUT: {}, CONSTANT: {}, BUFFER: {}, "nodes": self.nodes, "outputs": self.outputs}
        feed: Json = {}
        storages: Json = {}
        sharing: dict[int, list[Source]] = {}
        for source in self._sources:
            sharing.setdefault(storage_of(source.value.tensor), []).append(source)
        for storage, several in sharing.items():
            written = storage in self._written
            inputs = [source for source in several if source.section == INPUT]
            if written and len(several) > 1:
                self._windows(several, graph, storages, feed)
                continue
            for source in several:
                # What is written to keeps what was written: a constant would not.
                section = BUFFER if written and source.section == CONSTANT else source.section
                declared = dict(source.entry)
                if source in inputs:
                    feed[source.name] = declared.pop("data")
                graph[section][source.name] = declared
        order = {source.name: at for at, source in enumerate(self._sources)}
        for section in (INPUT, CONSTANT, BUFFER):
            graph[section] = dict(sorted(graph[section].items(), key=lambda item: order[item[0]]))
            if not graph[section] and section != INPUT:
                del graph[section]
        if self.subgraphs:
            graph["subgraphs"] = self.subgraphs
        return ({"storages": storages, **graph} if storages else graph), feed

    def _windows(self, several: list[Source], graph: Json, storages: Json, feed: Json) -> None:
        """Sources that share memory which is written to are windows on a declared storage."""
        sections = {INPUT if source.section == INPUT else BUFFER for source in several}
        names = ", ".join(source.name for source in several)
        dtypes = {source.value.tensor.dtype for source in several}
        if len(sections) > 1 or len(dtypes) > 1:
            raise RefusedError(f"{names} share memory that is written to, as inputs and buffers or as several dtypes")
        tensors = [source.value.tensor for source in several]
        low = min(tensor.storage_offset() for tensor in tensors)
        high = max(tensor.storage_offset() + extent(tensor) for tensor in tensors)
        name = self.name(f"{several[0].name}_storage")
        storages[name] = {"type": f"{NAMES[tensors[0].dtype]}[{high - low}]"}
        flat = torch.empty(0, dtype=tensors[0].dtype).set_(tensors[0].untyped_storage(), low, (high - low,), (1,))
        whole = self._before.get(storage_of(flat), flat)
        data = encode(whole[low:high] if whole is not flat else flat)["data"]
        section = sections.pop()
        if section == INPUT:
            feed[name] = data
        else:
            storages[name]["data"] = data
        for source, tensor in zip(several, tensors, strict=True):
            window = {"type": source.entry["type"], "storage": name, "strides": list(tensor.stride())}
            graph[section][source.name] = {**window, "offset": tensor.storage_offset() - low}

    def freeze(self) -> None:
        """Called between the declaration of the sources and the run, which may write to them: keeps shared memory."""
        self._before: dict[int, torch.Tensor] = {}
        seen: set[int] = set()
        for source in self._sources:
            tensor, storage = source.value.tensor, storage_of(source.value.tensor)
            if storage in seen and storage not in self._before:
                size = tensor.untyped_storage().nbytes() // tensor.element_size()
                flat = torch.empty(0, dtype=tensor.dtype).set_(tensor.untyped_storage(), 0, (size,), (1,))
                self._before[storage] = flat.clone()
            seen.add(storage)


def extent(tensor: torch.Tensor) -> int:
    """How many elements of its storage it spans."""
    if tensor.numel() == 0:
        return 0
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True))
