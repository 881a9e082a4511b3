"""Builds a network of ncnn: the text of its .param and the bytes of its .bin, layer by layer.

Every blob has one reader there: a blob that is read more often goes through a Split, which finish() puts in, as
ncnn's own converters do. What the numbers of a layer's parameters mean is in ncnn/docs/developer-guide/operators.md,
the order of dims too: a blob's sizes are w, h, d, c from the innermost on, and here row-major as everywhere.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from adapters.worker.arrays import Array
from adapters.worker.system import UnsupportedError

MAGIC = 7767517  # the first line of a .param
FLAG_F32 = b"\0\0\0\0"  # before weights that could be stored in another form (modelbin.cpp)
ARRAY = -23300  # the id of a parameter that is an array is this less its number

Sizes = tuple[int, ...]
Parameter = int | float | Sequence[int]

# The dims by rank, outermost first, and their parameters in Input, MemoryData and Reshape.
DIMS = {1: "w", 2: "hw", 3: "chw", 4: "cdhw"}
SIZE_PARAMETERS = {"w": 0, "h": 1, "d": 11, "c": 2}


@dataclass(frozen=True)
class Blob:
    """A tensor of the network. What has no dims is one of a single element."""

    name: str
    shape: Sizes

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass
class Weights:
    """An array in the .bin; `flagged` where the layer could take other forms of it than f32."""

    array: Array
    flagged: bool = False

    def serialize(self) -> bytes:
        return (FLAG_F32 if self.flagged else b"") + self.array.astype(np.float32).tobytes()


@dataclass
class Layer:
    kind: str
    bottoms: list[str]
    tops: list[str]
    parameters: Mapping[int, Parameter]
    weights: Sequence[Weights] = ()

    def text(self, name: str) -> str:
        counts = [str(len(self.bottoms)), str(len(self.tops))]
        parameters = [_parameter(key, value) for key, value in self.parameters.items()]
        return " ".join([self.kind, name, *counts, *self.bottoms, *self.tops, *parameters])


def _parameter(key: int, value: Parameter) -> str:
    if isinstance(value, Sequence):
        return f"{ARRAY - key}={','.join(map(str, [len(value), *value]))}"
    return f"{key}={value:.8e}" if isinstance(value, float) else f"{key}={value}"


def fits_parameter(number: float) -> bool:
    """Whether the text of a .param carries the number as an f32: its reader (paramdict.cpp) knows no infinity and no
    NaN, and works in double, which leaves no doubt only away from f32's limits."""
    return math.isfinite(number) and (number == 0 or 1e-30 < abs(number) < 1e30)


def check_sizes(shape: Sequence[int]) -> Sizes:
    """The sizes of a blob that stands for a tensor of these, or UnsupportedError."""
    if len(shape) > 4:
        raise UnsupportedError("ncnn's Mat has at most four dims")
    if 0 in shape:
        raise UnsupportedError("ncnn's Mat without elements is its sign of failure")
    return tuple(shape) or (1,)


def size_parameters(shape: Sizes) -> dict[int, int]:
    return {SIZE_PARAMETERS[dim]: size for dim, size in zip(DIMS[len(shape)], shape, strict=True)}


@dataclass
class Files:
    """A finished network."""

    param: str
    bin: bytes
    inputs: list[str]
    outputs: list[str]


@dataclass
class Net:
    layers: list[Layer] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    _count: int = 0

    def _blob(self, shape: Sequence[int]) -> Blob:
        self._count += 1
        return Blob(f"b{self._count}", check_sizes(shape))

    def input(self, shape: Sequence[int]) -> Blob:
        blob = self._blob(shape)
        self.layers.append(Layer("Input", [], [blob.name], size_parameters(blob.shape)))
        self.inputs.append(blob.name)
        return blob

    def constant(self, array: Array) -> Blob:
        blob = self._blob(array.shape)
        self.layers.append(Layer("MemoryData", [], [blob.name], size_parameters(blob.shape), [Weights(array)]))
        return blob

    def layer(
        self,
        kind: str,
        bottoms: Sequence[Blob],
        shape: Sequence[int],
        parameters: Mapping[int, Parameter] | None = None,
        weights: Sequence[Weights] = (),
    ) -> Blob:
        """A layer with one result of these sizes."""
        return self.layers_of(kind, bottoms, [shape], parameters, weights)[0]

    def layers_of(
        self,
        kind: str,
        bottoms: Sequence[Blob],
        shapes: Sequence[Sequence[int]],
        parameters: Mapping[int, Parameter] | None = None,
        weights: Sequence[Weights] = (),
    ) -> list[Blob]:
        """A layer with a result of each of these sizes."""
        tops = [self._blob(shape) for shape in shapes]
        names = [[blob.name for blob in blobs] for blobs in (bottoms, tops)]
        self.layers.append(Layer(kind, *names, parameters or {}, weights))
        return tops

    # What several translations need.

    def reshape(self, x: Blob, shape: Sequence[int]) -> Blob:
        sizes = check_sizes(shape)
        return x if x.shape == sizes else self.layer("Reshape", [x], sizes, size_parameters(sizes))

    def crop(self, x: Blob, dim: int, start: int, stop: int) -> Blob:
        shape = (*x.shape[:dim], stop - start, *x.shape[dim + 1 :])
        return self.layer("Crop", [x], shape, {9: [start], 10: [stop], 11: [dim]})

    def concat(self, parts: Sequence[Blob], dim: int) -> Blob:
        if len(parts) == 1:
            return parts[0]
        first = parts[0].shape
        size = sum(part.shape[dim] for part in parts)
        return self.layer("Concat", parts, (*first[:dim], size, *first[dim + 1 :]), {0: dim})

    def finish(self, outputs: Sequence[Blob]) -> Files:
        """The files of the network, with a Split for each blob that several layers or outputs read."""
        names = [blob.name for blob in outputs]
        reads = Counter([*names, *(name for layer in self.layers for name in layer.bottoms)])
        copies: dict[str, Iterator[str]] = {}
        finished: list[Layer] = []
        for layer in self.layers:
            bottoms = [next(copies[name]) if name in copies else name for name in layer.bottoms]
            finished.append(Layer(layer.kind, bottoms, layer.tops, layer.parameters, layer.weights))
            for name in layer.tops:
                if reads[name] > 1:
                    tops = [f"{name}_{i}" for i in range(reads[name])]
                    finished.append(Layer("Split", [name], tops, {}))
                    copies[name] = iter(tops)
        named = [next(copies[name]) if name in copies else name for name in names]
        blobs = sum(len(layer.tops) for layer in finished)
        lines = [str(MAGIC), f"{len(finished)} {blobs}"]
        lines += [layer.text(f"l{i}") for i, layer in enumerate(finished)]
        weights = b"".join(one.serialize() for layer in finished for one in layer.weights)
        return Files("\n".join(lines) + "\n", weights, list(self.inputs), named)
