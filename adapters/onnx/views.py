"""Views, their copies, and what is a view or a copy as the strides have it.

A view function gets a tensor and gives its views. ATen's *_copy forms are the same followed by an Identity; the
*_scatter forms write through the view of a clone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from adapters.onnx import layouts
from adapters.onnx.graph import Value
from adapters.onnx.layouts import Layout, wrap
from adapters.onnx.memory import Link, Memory, Reference, Tensor
from adapters.worker.system import UnsupportedError

Views = Tensor | list[Tensor]

VIEWS: dict[str, Callable[..., Views]] = {}
COPIES: dict[str, Callable[..., Views]] = {}  # "aten.t_copy.default" and the view function
OBJECTS: dict[str, Callable[..., Reference]] = {}  # what may hand the tensor itself on, or give it other dims


def view(*names: str, copies: bool = True) -> Callable[[Callable[..., Views]], Callable[..., Views]]:
    """Registers a view function, and its *_copy form where ATen has one."""

    def register(call: Callable[..., Views]) -> Callable[..., Views]:
        for name in names:
            VIEWS[f"aten.{name}"] = call
            if copies:
                COPIES["aten.{}_copy.{}".format(*name.split("."))] = call
        return call

    return register


# ---- the whole tensor under other dims


def reshaped(memory: Memory, tensor: Tensor, layout: Layout) -> Tensor:
    """The same elements in the same order."""
    graph, before = memory.graph, tensor.layout.sizes

    def forward(value: Value) -> Value:
        # A Reshape to the sizes it has: where the case has a view, the model has a node.
        return graph.op(
            "Reshape", value, graph.integers(layout.sizes), shape=layout.sizes, allowzero=graph.allowzero(layout.sizes)
        )

    return memory.view(tensor, layout, Link(forward, lambda _, new: graph.reshape(new, before)))


@view("alias.default", "detach.default")
def alias(memory: Memory, tensor: Tensor) -> Views:
    return memory.view(tensor, tensor.layout, Link(memory.graph.identity, lambda _, new: new))


@view("view.default")
def viewed(memory: Memory, tensor: Tensor, size: list[int]) -> Views:
    sizes = layouts.infer_sizes(size, tensor.layout.numel)
    if memory.is_alike(tensor):
        return memory.fresh(memory.graph.reshape(memory.read(tensor), sizes), certain=False)
    strides = layouts.view_strides(tensor.layout, sizes)
    if strides is None:
        raise UnsupportedError("a view that these strides do not allow")
    return reshaped(memory, tensor, replace(tensor.layout, sizes=sizes, strides=strides))


@view("unflatten.int", copies=False)
def unflatten(memory: Memory, tensor: Tensor, dim: int, sizes: list[int]) -> Views:
    own = tensor.layout.sizes
    at = wrap(dim, tensor.layout.rank)
    parts = layouts.infer_sizes(sizes, own[at])
    return viewed(memory, tensor, [*own[:at], *parts, *own[at + 1 :]])


@view("permute.default")
def permute(memory: Memory, tensor: Tensor, dims: list[int]) -> Views:
    graph = memory.graph
    order = [wrap(dim, tensor.layout.rank) for dim in dims]
    back = [order.index(dim) for dim in range(len(order))]
    link = Link(lambda value: graph.transpose(value, order), lambda _, new: graph.transpose(new, back))
    return memory.view(tensor, layouts.permuted(tensor.layout, order), link)


@view("transpose.int")
def transpose(memory: Memory, tensor: Tensor, dim0: int, dim1: int) -> Views:
    order = list(range(tensor.layout.rank))
    a, b = wrap(dim0, len(order)), wrap(dim1, len(order))
    if order:
        order[a], order[b] = order[b], order[a]
    return permute(memory, tensor, order)


@view("movedim.int", copies=False)
def movedim(memory: Memory, tensor: Tensor, source: int, destination: int) -> Views:
    order = list(range(tensor.layout.rank))
    if order:
        order.insert(wrap(destination, len(order)), order.pop(wrap(source, len(order))))
    return permute(memory, tensor, order)


@view("t.default")
def t(memory: Memory, tensor: Tensor) -> Views:
    return transpose(memory, tensor, 0, 1) if tensor.layout.rank == 2 else alias(memory, tensor)


def _squeezed(memory: Memory, tensor: Tensor, dims: list[int]) -> Tensor:
    graph, rank = memory.graph, tensor.layout.rank
    gone = [d for d in sorted({wrap(dim, rank) for dim in dims}) if rank and tensor.layout.sizes[d] == 1]
    before = tensor.layout.sizes
    layout = layouts.squeezed(tensor.layout, gone)
    if not gone:
        return memory.view(tensor, layout, Link(graph.identity, lambda _, new: new))
    link = Link(lambda value: graph.squeeze(value, gone), lambda _, new: graph.reshape(new, before))
    return memory.view(tensor, layout, link)


@view("squeeze.default")
def squeeze(memory: Memory, tensor: Tensor) -> Views:
    return _squeezed(memory, tensor, list(range(tensor.layout.rank)))


@view("squeeze.dim")
def squeeze_dim(memory: Memory, tensor: Tensor, dim: int) -> Views:
    return _squeezed(memory, tensor, [dim])


@view("squeeze.dims")
def squeeze_dims(memory: Memory, tensor: Tensor, dim: list[int]) -> Views:
    return _squeezed(memory, tensor, dim)


@view("unsqueeze.default")
def unsqueeze(memory: Memory, tensor: Tensor, dim: int) -> Views:
    graph, at = memory.graph, wrap(dim, tensor.layout.rank + 1)
    link = Link(lambda value: graph.unsqueeze(value, at), lambda _, new: graph.squeeze(new, [at]))
    return memory.view(tensor, layouts.unsqueezed(tensor.layout, dim), link)


@view("expand.default")
def expand(memory: Memory, tensor: Tensor, size: list[int], implicit: bool = False) -> Views:
    graph, layout = memory.graph, layouts.expanded(tensor.layout, size)
    # Written to only where nothing is repeated: then an inverse is a reshape.
    same = layout.numel == tensor.layout.numel
    before = tensor.layout.sizes
    back = (lambda _, new: graph.reshape(new, before)) if same else None
    forward = lambda value: graph.op("Expand", value, graph.integers(layout.sizes), shape=layout.sizes)  # noqa: E731
    return memory.view(tensor, layout, Link(forward, back))


# ---- windows


def _part(memory: Memory, tensor: Tensor, dim: int, start: int, count: int, step: int = 1) -> Tensor:
    return memory.view(tensor, *_part_link(memory, tensor, dim, start, count, step))


def _part_link(memory: Memory, tensor: Tensor, dim: int, start: int, count: int, step: int = 1) -> tuple[Layout, Link]:
    graph = memory.graph
    size = tensor.layout.sizes[dim]
    stop = min(start + count * step, size) if count else start
    layout = layouts.sliced(tensor.layout, dim, start, count, step)

    def backward(parent: Callable[[], Value], new: Value) -> Value:
        if count == size:
            return new
        pieces = [graph.slice(parent(), dim, 0, start)] if start else []
        pieces.append(new)
        pieces += [graph.slice(parent(), dim, stop, size)] if stop < size else []
        return graph.concat(pieces, dim)

    return layout, Link(lambda value: graph.slice(value, dim, start, stop, step), backward if step == 1 else None)


@view("slice.Tensor")
def slice_tensor(
    memory: Memory, tensor: Tensor, dim: int = 0, start: int | None = None, end: int | None = None, step: int = 1
) -> Views:
    at = wrap(dim, tensor.layout.rank)
    places = range(*slice(start, end, step).indices(tensor.layout.sizes[at]))
    first = min(max(places.start, 0), tensor.layout.sizes[at])
    return _part(memory, tensor, at, first, len(places), step)


@view("narrow.default")
def narrow(memory: Memory, tensor: Tensor, dim: int, start: int, length: int) -> Views:
    at = wrap(dim, tensor.layout.rank)
    first = start + tensor.layout.sizes[at] if start < 0 else start
    return _part(memory, tensor, at, first, length)


@view("select.int")
def select(memory: Memory, tensor: Tensor, dim: int, index: int) -> Views:
    graph, at = memory.graph, wrap(dim, tensor.layout.rank)
    place = index % tensor.layout.sizes[at]
    layout, part = _part_link(memory, tensor, at, place, 1)
    assert part.backward is not None
    widen = part.backward
    link = Link(
        lambda value: graph.gather(value, graph.constant(place, "i64"), at),
        lambda parent, new: widen(parent, graph.unsqueeze(new, at)),
    )
    return memory.view(tensor, layouts.squeezed(layout, [at]), link)


@view("diagonal.default")
def diagonal(memory: Memory, tensor: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Views:
    return _by_places(memory, tensor, lambda layout: layouts.diagonal(layout, offset, dim1, dim2))


@view("unfold.default")
def unfold(memory: Memory, tensor: Tensor, dimension: int, size: int, step: int) -> Views:
    return _by_places(memory, tensor, lambda layout: layouts.unfolded(layout, dimension, size, step))


def _by_places(memory: Memory, tensor: Tensor, rule: Callable[[Layout], Layout]) -> Tensor:
    """A view that no node of ONNX is made for: a Gather of the places that the rule gives on a row-major tensor."""
    graph = memory.graph
    places = rule(layouts.contiguous(tensor.layout.sizes)).elements()

    def forward(value: Value) -> Value:
        return graph.gather(graph.flat(value), graph.constant(places, "i64"), 0)

    return memory.view(tensor, rule(tensor.layout), Link(forward))


@view("as_strided.default")
def as_strided(
    memory: Memory, tensor: Tensor, size: list[int], stride: list[int], storage_offset: int | None = None
) -> Views:
    offset = tensor.layout.offset if storage_offset is None else storage_offset
    return memory.strided(tensor, Layout(tuple(size), tuple(stride), offset))


# ---- splits: one Split node for all parts, a Slice where a part is made anew


def _parts(memory: Memory, tensor: Tensor, dim: int, sizes: list[int]) -> list[Tensor]:
    made = memory.graph.split(memory.read(tensor), dim, sizes)
    parts, start = [], 0
    for size, value in zip(sizes, made, strict=True):
        parts.append(memory.view(tensor, *_part_link(memory, tensor, dim, start, size), made=value))
        start += size
    return parts


@view("split_with_sizes.default")
def split_with_sizes(memory: Memory, tensor: Tensor, split_sizes: list[int], dim: int = 0) -> Views:
    return _parts(memory, tensor, wrap(dim, tensor.layout.rank), split_sizes)


@view("split.Tensor")
def split(memory: Memory, tensor: Tensor, split_size: int, dim: int = 0) -> Views:
    at = wrap(dim, tensor.layout.rank)
    size = tensor.layout.sizes[at]
    if size == 0 or split_size == 0:
        return [alias(memory, tensor)]  # type: ignore[list-item]
    return _parts(memory, tensor, at, [min(split_size, size - start) for start in range(0, size, split_size)])


@view("chunk.default", copies=False)
def chunk(memory: Memory, tensor: Tensor, chunks: int, dim: int = 0) -> Views:
    at = wrap(dim, tensor.layout.rank)
    size = tensor.layout.sizes[at]
    if size == 0:
        return _parts(memory, tensor, at, [0] * chunks)
    return split(memory, tensor, -(-size // chunks), at)


@view("unbind.int")
def unbind(memory: Memory, tensor: Tensor, dim: int = 0) -> Views:
    return [select(memory, tensor, dim, i) for i in range(tensor.layout.sizes[wrap(dim, tensor.layout.rank)])]  # type: ignore[misc]


# ---- views of clones: the *_scatter forms


def clone(memory: Memory, tensor: Tensor, memory_format: str = "preserve_format") -> Tensor:
    value = memory.graph.identity(memory.read(tensor))
    return memory.fresh(value, layouts.fresh(tensor.layout, memory_format), tensor.storage.certain)


def _scatters(name: str, viewing: Callable[..., Views]) -> None:
    def call(memory: Memory, tensor: Tensor, src: Tensor, *args: object, **kwargs: object) -> Tensor:
        made = clone(memory, tensor)
        target = viewing(memory, made, *args, **kwargs)
        assert isinstance(target, Tensor)
        memory.write(target, memory.graph.cast(memory.read(src), made.dtype))
        return made

    SCATTERS[f"aten.{name}"] = call


SCATTERS: dict[str, Callable[..., Tensor]] = {}
_scatters("slice_scatter.default", slice_tensor)
_scatters("select_scatter.default", select)
_scatters("diagonal_scatter.default", diagonal)
_scatters("as_strided_scatter.default", as_strided)


# ---- what hands its operand on, copies it, or gives it other dims


def of_object(*names: str) -> Callable[[Callable[..., Reference]], Callable[..., Reference]]:
    def register(call: Callable[..., Reference]) -> Callable[..., Reference]:
        OBJECTS.update((f"aten.{name}", call) for name in names)
        return call

    return register


@of_object("clone.default")
def cloned(memory: Memory, self: Reference, memory_format: str | None = None) -> Reference:
    if memory_format not in (None, "contiguous_format") and not memory.is_alike(self.tensor):
        self.tensor.certain_layout()
    return Reference(clone(memory, self.tensor, memory_format or "preserve_format"))


@of_object("lift_fresh_copy.default")
def lift_fresh_copy(memory: Memory, self: Reference) -> Reference:
    return Reference(clone(memory, self.tensor, "contiguous_format"))


@of_object("contiguous.default")
def contiguous(memory: Memory, self: Reference, memory_format: str = "contiguous_format") -> Reference:
    if memory.is_alike(self.tensor) and memory_format == "contiguous_format":
        return Reference(memory.fresh(memory.read(self.tensor)))
    if layouts.in_format(self.tensor.certain_layout(), memory_format):
        return self
    return Reference(clone(memory, self.tensor, memory_format))


def _converted(memory: Memory, tensor: Tensor, dtype: str, memory_format: str) -> Reference:
    if dtype == tensor.dtype:
        return Reference(clone(memory, tensor, memory_format))
    value = memory.graph.cast(memory.read(tensor), dtype)
    return Reference(memory.fresh(value, layouts.fresh(tensor.layout, memory_format), tensor.storage.certain))


@of_object("_to_copy.default")
def to_copy(
    memory: Memory,
    self: Reference,
    dtype: str | None = None,
    non_blocking: bool = False,
    memory_format: str | None = None,
) -> Reference:
    return _converted(memory, self.tensor, dtype or self.tensor.dtype, memory_format or "preserve_format")


@of_object("to.dtype")
def to_dtype(
    memory: Memory,
    self: Reference,
    dtype: str,
    non_blocking: bool = False,
    copy: bool = False,
    memory_format: str | None = None,
) -> Reference:
    if dtype == self.tensor.dtype and not copy:
        if memory_format not in (None, "preserve_format"):
            raise UnsupportedError("to in a memory format that depends on strides")
        return self
    return _converted(memory, self.tensor, dtype, memory_format or "preserve_format")


def _as_sizes(memory: Memory, tensor: Tensor, sizes: tuple[int, ...]) -> Reference:
    if memory.is_alike(tensor):
        return Reference(memory.fresh(memory.graph.reshape(memory.read(tensor), sizes), certain=False))
    strides = layouts.view_strides(tensor.certain_layout(), sizes)
    if strides is not None:
        return Reference(reshaped(memory, tensor, replace(tensor.layout, sizes=sizes, strides=strides)))
    return Reference(memory.fresh(memory.graph.reshape(memory.read(tensor), sizes)))


@of_object("reshape.default")
def reshape(memory: Memory, self: Reference, shape: list[int]) -> Reference:
    return _as_sizes(memory, self.tensor, layouts.infer_sizes(shape, self.tensor.layout.numel))


@of_object("flatten.using_ints")
def flatten(memory: Memory, self: Reference, start_dim: int = 0, end_dim: int = -1) -> Reference:
    sizes = self.tensor.layout.sizes
    if not sizes:
        return _as_sizes(memory, self.tensor, (1,))
    first, last = wrap(start_dim, len(sizes)), wrap(end_dim, len(sizes))
    if first == last:
        return self
    count = 1
    for size in sizes[first : last + 1]:
        count *= size
    return _as_sizes(memory, self.tensor, (*sizes[:first], count, *sizes[last + 1 :]))


def _turned(name: str, viewing: Callable[..., Views]) -> None:
    @of_object(name)
    def call(memory: Memory, self: Reference, *args: int) -> Reference:
        turned = viewing(memory, self.tensor, *args)
        assert isinstance(turned, Tensor)
        self.tensor = turned
        return self


_turned("t_.default", t)
_turned("transpose_.default", transpose)
_turned("squeeze_.dim", squeeze_dim)
_turned("unsqueeze_.default", unsqueeze)


@of_object("copy_.default")
def copy_in_place(memory: Memory, self: Reference, src: Reference, non_blocking: bool = False) -> Reference:
    graph, tensor = memory.graph, self.tensor
    value = graph.cast(memory.read(src.tensor), tensor.dtype)
    value = graph.expand(value, tensor.layout.sizes)
    # A node of its own, so that the copy is there to be elided.
    memory.write(tensor, graph.identity(value))
    return self


@of_object("copy.default")
def copy(memory: Memory, self: Reference, src: Reference, non_blocking: bool = False) -> Reference:
    made = clone(memory, self.tensor)
    if not self.tensor.layout.is_dense() or self.tensor.layout.numel != self.tensor.storage.layout.numel:
        made.storage.certain = False  # eager clones the whole storage
    return copy_in_place(memory, Reference(made), src)


@of_object("diag_embed.default")
def diag_embed(memory: Memory, self: Reference, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Reference:
    """Zeros, written through their diagonal."""
    tensor = self.tensor
    *batch, last = tensor.layout.sizes
    side = last + abs(offset)
    rank = len(batch) + 2
    sizes = list(batch)
    for dim in sorted((wrap(dim1, rank), wrap(dim2, rank))):
        sizes.insert(dim, side)
    zeros = memory.graph.expand(memory.graph.number(0, tensor.dtype), sizes)
    made = memory.fresh(zeros)
    target = diagonal(memory, made, offset, dim1, dim2)
    assert isinstance(target, Tensor)
    memory.write(target, memory.read(tensor))
    return Reference(made)
