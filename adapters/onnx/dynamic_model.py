"""A case with symbols as one ONNX model for all their sizes.

The writer spells sizes out: the shape of a Reshape, the ends of a Slice, the count that a sum is divided by. Rather
than teach each of its ops to keep symbols, the models that it writes at several sizes are laid side by side. They must
be one model but for the elements of initializers, and what changes there must grow in step with the sizes: those
initializers are computed in the model, from the shapes of its inputs. What does not is refused, for all targets alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product
from math import prod

import numpy as np
from onnx.reference import ReferenceEvaluator

from adapters.onnx.graph import ONNX_DTYPES, Graph, Node, Value
from adapters.onnx.writer import Written, write
from adapters.worker.arrays import DTYPES, NAMES, Array
from adapters.worker.case_symbols import Relation, at_sizes, symbolic_dims
from adapters.worker.system import Json, UnsupportedError

Sizes = dict[str, int]

MOST_SIZES = 48  # of all combinations; where there are more, some
MOST_ELEMENTS = 8  # of a list whose numbers are computed one by one
MOST_DIVISOR = 4  # of a size that only a part is taken of
OFFSETS = sorted(range(-12, 13), key=abs)  # what is added to a size or taken off it


Term = tuple[str, ...]  # the symbols of a product; none: 1
Polynomial = dict[Term, Array]  # whole multiples of products of at most two symbols, summed, element by element


@dataclass(frozen=True)
class _Bent:
    """The least of symbols with an offset each, or a multiple or a whole part of one."""

    terms: tuple[tuple[str, int], ...]
    slope: int = 1
    divisor: int = 1

    def numerators(self, all_sizes: Sequence[Sizes]) -> Array:
        return np.array(
            [min(self.slope * sizes[symbol] + offset for symbol, offset in self.terms) for sizes in all_sizes]
        )

    def at(self, all_sizes: Sequence[Sizes]) -> Array:
        return self.numerators(all_sizes) // self.divisor


def value_of(term: Term, sizes: Sizes) -> int:
    return prod(sizes[symbol] for symbol in term)


def write_dynamic(graph: Json, runs: Sequence[Sizes]) -> Written:
    """The model of a graph that program_graph() made of a case with symbols, right at the sizes of these runs. Those
    that nobody runs at only help to see what grows with what."""
    if graph.get("subgraphs"):
        raise UnsupportedError("branches and loops at sizes that change")
    models = [(sizes, one) for sizes in sizes_tried(graph, runs) if (one := _model_inside(graph, sizes, runs))]
    beyond = [(sizes, one) for sizes in sizes_beyond(graph) if (one := _model_beyond(graph, sizes))]
    try:
        # Of a range of two sizes a product grows as a multiple does. What follows it beyond is what a runtime expects.
        return _generalized(graph, runs, [*models, *beyond])
    except UnsupportedError:
        bound = models[0][0]  # the model at the bound was changed on the way
        return _generalized(graph, runs, [(bound, _model(graph, bound)), *models[1:]])


def _model(graph: Json, sizes: Sizes) -> Written:
    return write(at_sizes(graph, sizes), keep_all=True)


def _model_inside(graph: Json, sizes: Sizes, runs: Sequence[Sizes]) -> Written | None:
    """The model at sizes of the range; nothing where it is not needed and ONNX cannot say it."""
    try:
        return _model(graph, sizes)
    except UnsupportedError:
        if sizes == bound_of(graph) or sizes in runs:
            raise
        return None


def _model_beyond(graph: Json, sizes: Sizes) -> Written | None:
    try:
        return _model(graph, sizes)
    except Exception:  # of sizes at which the graph is none
        return None


def _generalized(graph: Json, runs: Sequence[Sizes], models: Sequence[tuple[Sizes, Written]]) -> Written:
    """The first of the models, made one for all of them that are alike."""
    made = models[0][1]
    differences = [(sizes, one, first_difference(made.graph, one.graph)) for sizes, one in models]
    alike = [(sizes, one.graph) for sizes, one, difference in differences if not difference]
    _Generalizer(graph, [sizes for sizes, _ in alike], [one for _, one in alike]).run()
    for sizes, one, difference in differences:
        if not difference or sizes not in runs:
            continue
        if not compute_the_same(made, one):
            raise UnsupportedError(f"the model is another one at {text_of(sizes)}: {difference}")
        _open_outputs(made, one)
    return made


def _results(made: Written, other: Written) -> list[tuple[str, str]]:
    """What made gives back, and what of the other model is the same."""
    updated = [(name, other.updated.get(source, source)) for source, name in made.updated.items()]
    return [*zip(made.outputs, other.outputs, strict=True), *updated]


def _open_outputs(made: Written, other: Written) -> None:
    """States no size of a result that the other model has another size of."""
    shapes = {value.name: value.shape for value in (*other.graph.inputs, *other.graph.outputs)}
    declared = {value.name for value in made.graph.outputs}
    for name, same in _results(made, other):
        if name not in declared:
            continue
        pairs = zip(made.graph.dims[name], shapes[same], strict=True)
        made.graph.dims[name] = tuple(
            f"{name}_{dim}" if isinstance(size, int) and size != there else size
            for dim, (size, there) in enumerate(pairs)
        )


def compute_the_same(made: Written, other: Written) -> bool:
    """Whether ONNX's reference computes of made what it does of a model for certain sizes, at these. There the writer
    may have left out what has no effect on so few elements, as a write to none."""
    if len(made.outputs) != len(other.outputs) or set(other.updated) - set(made.updated):
        return False
    inputs = {value.name: _numbers(value) for value in other.graph.inputs}
    try:
        found, wanted = (_computed(one.graph, inputs) for one in (made, other))
    except Exception:  # whatever the reference makes of sizes that made is not for
        return False
    pairs = [(found[name], wanted[same]) for name, same in _results(made, other)]
    return all(
        one.dtype == same.dtype
        and one.shape == same.shape
        and np.array_equal(one, same, equal_nan=one.dtype.kind == "f")
        for one, same in pairs
    )


def _numbers(value: Value) -> Array:
    """Small numbers, hardly any of them twice."""
    numbers = (np.arange(prod(value.shape)) * 37 % 23).reshape(value.shape)
    return (numbers / 8 if value.dtype in ("f16", "f32", "f64") else numbers).astype(DTYPES[value.dtype])


def _computed(graph: Graph, inputs: dict[str, Array]) -> dict[str, Array]:
    names = [value.name for value in graph.outputs]
    with np.errstate(all="ignore"):
        results = ReferenceEvaluator(graph.model()).run(names, inputs)
    return inputs | dict(zip(names, results, strict=True))


def text_of(sizes: Sizes) -> str:
    return ", ".join(f"{symbol}={size}" for symbol, size in sizes.items())


def bound_of(graph: Json) -> Sizes:
    """The greatest size that each symbol may have."""
    return {symbol: high for symbol, (_, high) in graph["symbols"].items()}


def sizes_tried(graph: Json, runs: Sequence[Sizes]) -> list[Sizes]:
    """The bound, each symbol alone below it, what the runs have, and as many others as there are few."""
    symbols: dict[str, tuple[int, int]] = graph["symbols"]
    bound = bound_of(graph)
    alone = [{**bound, symbol: size} for symbol, (low, high) in symbols.items() for size in range(low, high)]
    ranges = [range(low, high + 1) for low, high in symbols.values()]
    count = int(np.prod([len(one) for one in ranges]))
    rest = [dict(zip(symbols, sizes, strict=True)) for sizes in product(*ranges)] if count <= MOST_SIZES else []
    found = [bound, *runs, *(alone if len(alone) <= MOST_SIZES else alone[:: len(alone) // MOST_SIZES + 1]), *rest]
    return [sizes for place, sizes in enumerate(found) if sizes not in found[:place]]


def sizes_beyond(graph: Json) -> list[Sizes]:
    """Some above the bound, which the case does not have."""
    bound = bound_of(graph)
    alone = [{**bound, symbol: high + more} for symbol, high in bound.items() for more in (1, 2, 3)]
    return [*alone, *({symbol: high + more for symbol, high in bound.items()} for more in (1, 2))]


def first_difference(one: Graph, other: Graph) -> str:
    """What two models differ in beside initializers and sizes; empty for nothing."""
    if len(one.nodes) != len(other.nodes):
        return f"it has {len(other.nodes)} nodes and not {len(one.nodes)}"
    for here, there in zip(one.nodes, other.nodes, strict=True):
        if here != there:
            return (
                f"{there[0]} for {here[0]}" if here[0] != there[0] else f"a {here[0]} has other operands or attributes"
            )
    if [value.name for value in one.outputs] != [value.name for value in other.outputs]:
        return "its outputs are others"
    if list(one.initializers) != list(other.initializers):
        return "its constants are others"
    return ""


class _Generalizer:
    """Makes the first of the models one for all the sizes."""

    def __init__(self, case_graph: Json, sizes: list[Sizes], models: list[Graph]) -> None:
        self._case_graph = case_graph
        self._sizes = sizes
        self._models = models
        self._model = models[0]
        self._front: list[Node] = []
        self._symbols: dict[tuple[str, bool], str] = {}  # the value that holds each, as a scalar or a list of one
        self._count = 0

    def run(self) -> None:
        for name in list(self._model.initializers):
            self._settle(name, [one.initializers[name] for one in self._models])
        for place, value in enumerate(self._model.inputs):
            self._model.dims[value.name] = self._input_dims(value.name, value.shape)
            shapes = [one.inputs[place].shape for one in self._models]
            self._check_dims(value.name, shapes)
        for place, value in enumerate(self._model.outputs):
            shapes = [one.outputs[place].shape for one in self._models]
            if len({len(shape) for shape in shapes}) != 1:
                raise UnsupportedError("an output's number of dims depends on the sizes")
            self._model.dims[value.name] = tuple(
                sizes[0] if len(set(sizes)) == 1 else f"{value.name}_{dim}"
                for dim, sizes in enumerate(zip(*shapes, strict=True))
            )
        self._model.nodes[:0] = self._front

    def _input_dims(self, name: str, shape: Sequence[int]) -> tuple[int | str, ...]:
        found = symbolic_dims(self._case_graph, name)
        return tuple(_dim_text(found[dim]) if dim in found else size for dim, size in enumerate(shape))

    def _check_dims(self, name: str, shapes: list[tuple[int, ...]]) -> None:
        found = symbolic_dims(self._case_graph, name)
        for sizes, shape in zip(self._sizes, shapes, strict=True):
            assert all(shape[dim] == one.at(sizes) for dim, one in found.items())

    def _settle(self, name: str, arrays: list[Array]) -> None:
        """Makes an initializer that is not the same everywhere one that is computed."""
        first = arrays[0]
        if all(one.shape == first.shape and one.tobytes() == first.tobytes() for one in arrays):
            return
        if self._is_shape(name) and (inferred := _with_one_inferred(arrays)) is not None:
            self._model.initializers[name] = inferred
            return
        del self._model.initializers[name]
        if all(one.shape == first.shape for one in arrays):
            self._compute(arrays, name)
        elif all(one.ndim == first.ndim for one in arrays) and _is_filled(arrays):
            self._fill(arrays, name)
        elif all(one.ndim == first.ndim and one.dtype == np.int64 and _is_lattice(one) for one in arrays):
            self._lattice(arrays, name)
        else:
            raise UnsupportedError(f"a constant of shape {list(first.shape)} changes with the sizes")

    def _is_shape(self, name: str) -> bool:
        """Whether it is what tensors are reshaped to, and nothing else."""
        return name not in {value.name for value in self._model.outputs} and all(
            kind == "Reshape" and operands[0] != name for kind, operands, _, _ in self._model.nodes if name in operands
        )

    def _where(self, known: Sequence[bool] | None, arrays: list[Array]) -> tuple[list[Array], list[Sizes]]:
        """The arrays that are known, and the sizes of their models."""
        told = [pair for place, pair in enumerate(zip(arrays, self._sizes, strict=True)) if not known or known[place]]
        return [array for array, _ in told], [sizes for _, sizes in told]

    def _fit(self, arrays: list[Array], known: Sequence[bool] | None = None) -> Polynomial:
        """What the arrays are at the sizes where they are known. Refuses what grows in no such way."""
        arrays, all_sizes = self._where(known, arrays)
        symbols = list(self._sizes[0])
        wide = np.stack([one.astype(np.float64) for one in arrays])
        flat = wide.reshape(len(arrays), -1)
        single: list[Term] = [(), *((symbol,) for symbol in symbols)]
        for terms in (single, [*single, *combinations_with_replacement(symbols, 2)]):
            rows = np.array([[value_of(term, sizes) for term in terms] for sizes in all_sizes], dtype=np.float64)
            factors = np.rint(np.linalg.lstsq(rows, flat, rcond=None)[0])
            if (rows @ factors == flat).all():
                found = zip(terms, factors.reshape(len(terms), *wide.shape[1:]), strict=True)
                return dict(found)
        raise UnsupportedError("a number does not grow in step with the sizes")

    # ---- nodes

    def _constant(self, array: Array) -> str:
        self._count += 1
        name = f"d.{self._count}"
        self._model.initializers[name] = array
        return name

    def _node(self, kind: str, operands: list[str], name: str | None = None, **attributes: object) -> str:
        self._count += 1
        made = name or f"d.{self._count}"
        self._front.append((kind, operands, [made], attributes))
        return made

    def _symbol(self, symbol: str, listed: bool) -> str:
        """The size of a dim of an input, solved for the symbol: an integer, or a list of one."""
        if (symbol, listed) in self._symbols:
            return self._symbols[symbol, listed]
        places = [
            (value.name, dim, one)
            for value in self._model.inputs
            for dim, one in symbolic_dims(self._case_graph, value.name).items()
            if one.symbol == symbol
        ]
        name, dim, one = min(places, key=lambda place: (place[2].factor != 1, place[2].offset != 0))
        size = self._node(
            "Gather",
            [self._node("Shape", [name]), self._constant(np.array([dim] if listed else dim, np.int64))],
            axis=0,
        )
        if one.offset:
            size = self._node("Sub", [size, self._constant(np.array(one.offset, np.int64))])
        if one.factor != 1:
            size = self._node("Div", [size, self._constant(np.array(one.factor, np.int64))])
        self._symbols[symbol, listed] = size
        return size

    def _sum(self, fitted: Polynomial) -> str:
        """The numbers as i64."""
        total = self._constant(fitted[()].astype(np.int64))
        for term, factor in fitted.items():
            if not term or not factor.any():
                continue
            part = self._constant(factor.astype(np.int64))
            for symbol in term:
                part = self._node("Mul", [self._symbol(symbol, factor.ndim > 0), part])
            total = self._node("Add", [total, part])
        return total

    def _number(self, arrays: list[Array], known: Sequence[bool] | None = None) -> str:
        """The numbers as i64, each by itself where they grow in no common way."""
        try:
            return self._sum(self._fit(arrays, known))
        except UnsupportedError:
            if arrays[0].size == 1:
                return self._bent(arrays, known)
            if arrays[0].ndim != 1 or arrays[0].size > MOST_ELEMENTS:
                raise
        return self._node("Concat", [self._number(list(one), known) for one in np.stack(arrays, 1)[:, :, None]], axis=0)

    def _bent(self, arrays: list[Array], known: Sequence[bool] | None) -> str:
        """A number that grows with one symbol between two bounds, as the end of a slice does, or half as fast, as the
        number of every second element; or with the smaller of two, as a diagonal does."""
        told, all_sizes = self._where(known, arrays)
        numbers = np.array([one.item() for one in told])
        low, high = int(numbers.min()), int(numbers.max())
        for form in self._bent_forms(all_sizes, numbers):
            if (form.at(all_sizes).clip(low, high) == numbers).all():
                return self._bent_value(form, all_sizes, low, high, arrays[0].ndim)
        raise UnsupportedError("a number does not grow in step with the sizes")

    def _bent_forms(self, all_sizes: list[Sizes], numbers: Array) -> Iterator[_Bent]:
        symbols = list(all_sizes[0])
        slopes = [(1, 1), (2, 1), (3, 1), *((1, divisor) for divisor in range(2, MOST_DIVISOR + 1))]
        if numbers.min() >= 0:  # ONNX divides integers towards zero
            for symbol, (slope, divisor), offset in product(symbols, slopes, OFFSETS):
                yield _Bent(((symbol, offset),), slope, divisor)
        if len(symbols) == 2:
            for offsets in product(OFFSETS, repeat=2):
                yield _Bent(tuple(zip(symbols, offsets, strict=True)))

    def _bent_value(self, form: _Bent, all_sizes: list[Sizes], low: int, high: int, rank: int) -> str:
        def constant(number: int) -> str:
            return self._constant(np.array([number] if rank else number, np.int64))

        parts = []
        for symbol, offset in form.terms:
            part = self._symbol(symbol, rank > 0)
            part = part if form.slope == 1 else self._node("Mul", [part, constant(form.slope)])
            parts.append(self._node("Add", [part, constant(offset)]) if offset else part)
        value = parts[0] if len(parts) == 1 else self._node("Min", parts)
        numerators = form.numerators(all_sizes)
        if numerators.min() < low * form.divisor:
            value = self._node("Max", [value, constant(low * form.divisor)])
        if form.divisor > 1:
            value = self._node("Div", [value, constant(form.divisor)])
        return self._node("Min", [value, constant(high)]) if form.at(all_sizes).max() > high else value

    def _compute(self, arrays: list[Array], name: str) -> None:
        self._node("Cast", [self._number(arrays)], name, to=ONNX_DTYPES[NAMES[arrays[0].dtype]])

    def _lattice(self, arrays: list[Array], name: str) -> None:
        """Places in memory of a view: a start, and a step along each dim."""
        rank = arrays[0].ndim
        filled = [one.size > 0 for one in arrays]
        firsts = [one.flat[0] if one.size else np.int64(0) for one in arrays]
        if not any(filled):
            raise UnsupportedError("a constant without elements changes with the sizes")
        places = self._number([np.array(one) for one in firsts], filled)
        for dim in range(rank):
            count = self._number([np.array(one.shape[dim]) for one in arrays])
            steps = [_step(one, dim) for one in arrays]
            told = [step is not None for step in steps]
            zero, one = (self._constant(np.array(number, np.int64)) for number in (0, 1))
            step = self._number([np.array(step or 0) for step in steps], told) if any(told) else zero
            along = self._node("Mul", [self._node("Range", [zero, count, one]), step])
            if rank > 1:
                shape = self._constant(np.array([-1] + [1] * (rank - 1 - dim), np.int64))
                along = self._node("Reshape", [along, shape])
            places = self._node("Add", [places, along])
        self._front.append(("Identity", [places], [name], {}))

    def _fill(self, arrays: list[Array], name: str) -> None:
        shape = self._number([np.array(one.shape, np.int64) for one in arrays])
        item = next((one.reshape(-1)[:1] for one in arrays if one.size), np.zeros(1, arrays[0].dtype))
        self._node("Expand", [self._constant(item.copy()), shape], name)


def _dim_text(one: Relation) -> str:
    factor = f"{one.factor}*" if one.factor != 1 else ""
    return f"{factor}{one.symbol}{one.offset:+}" if one.offset else f"{factor}{one.symbol}"


def _with_one_inferred(arrays: Sequence[Array]) -> Array | None:
    """The sizes with -1 for the one that changes, as exporters write it; nothing where more of them do, or one is 0."""
    if arrays[0].ndim != 1 or len({one.shape for one in arrays}) != 1:
        return None
    changing = (np.stack(arrays) != arrays[0]).any(axis=0)
    if changing.sum() != 1 or (arrays[0][~changing] == 0).any():
        return None
    return np.where(changing, np.int64(-1), arrays[0])


def _is_filled(arrays: Sequence[Array]) -> bool:
    """Whether one number is all that they hold."""
    return len({item.tobytes() for one in arrays for item in one.flat}) <= 1


def _step(array: Array, dim: int) -> int | None:
    """From one element to the next along a dim of an array that _is_lattice; nothing where it has one or none."""
    if array.size == 0 or array.shape[dim] < 2:
        return None
    return int(np.take(array, 1, dim).flat[0] - np.take(array, 0, dim).flat[0])


def _is_lattice(array: Array) -> bool:
    if array.size == 0:
        return True
    places = np.array(array.flat[0])
    for dim in range(array.ndim):
        shape = [-1] + [1] * (array.ndim - 1 - dim)
        places = places + (np.arange(array.shape[dim]) * (_step(array, dim) or 0)).reshape(shape)
    return bool((places == array).all())
