"""Sizes that a program leaves open, as symbols of the case.

An import walks a program at one size of everything, and the numbers of its calls are those of that size. So it is
walked at several, and the cases are laid side by side: they must be one but for the sizes of inputs and for numbers of
calls that are a multiple of one symbol and an offset, which the case then writes as that. A symbol with which this does
not hold is fixed at its example, and that is noted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from adapters.worker.case_symbols import relation
from adapters.worker.case_text import split_type

Json = dict[str, Any]
Sizes = dict[str, int]

LEAST_BOUND = 8  # of a symbol whose range has no end, or one that is far off
RESHAPES = ("aten.view.default", "aten.reshape.default", "aten._unsafe_view.default")


@dataclass(frozen=True)
class Range:
    """What a program says of a symbol."""

    low: int
    high: int | None  # nothing: no end
    example: int


class UnlikeError(Exception):
    """Two sizes give cases that differ in more than numbers that follow the symbols."""


def bound_of(given: Range) -> int:
    """The greatest size that the case has: a program may allow more than anybody would run."""
    near = max(LEAST_BOUND, 2 * given.example)
    return near if given.high is None else min(near, given.high)


def with_symbols(
    case: Json, import_at: Callable[[Sizes], Json], given: dict[str, Range], say: Callable[[str], None]
) -> Json:
    """The case of the example's sizes with those symbols that it holds with; `import_at` is the import at others. What
    became of each is said."""
    example = {name: one.example for name, one in given.items()}
    made: dict[tuple[int, ...], Json] = {tuple(example.values()): case}

    def at(sizes: Sizes) -> Json:
        key = tuple(sizes.values())
        if key not in made:
            made[key] = import_at(sizes)
        return made[key]

    kept: dict[str, Range] = {}
    opened = case
    for name, one in given.items():
        if bound_of(one) <= max(one.low, 1):
            say(f"symbol {name} is fixed at {one.example}: its range has one size")
            continue
        for low in dict.fromkeys((one.low, max(one.low, 2))):
            tried = {**kept, name: Range(low, bound_of(one), one.example)}
            try:
                opened = _opened(tried, example, at)
            except Exception as error:  # whatever the program raises at a size that it does not take after all
                reason = " ".join(str(error).split())[:160] or type(error).__name__
                continue
            kept = tried
            break
        else:
            say(f"symbol {name} is fixed at {one.example}: {reason}")
    for name, one in kept.items():
        own = given[name]
        of_program = f"{own.low} and up" if own.high is None else f"{own.low} to {own.high}"
        say(f"symbol {name} ({of_program}) stays open, from {one.low} to {one.high}")
    return opened


def _opened(symbols: dict[str, Range], example: Sizes, at: Callable[[Sizes], Json]) -> Json:
    tried = [example]
    for name, one in symbols.items():
        high = one.high or one.example
        tried += [{**example, name: size} for size in dict.fromkeys((high, high - 1, one.low)) if size >= one.low]
    tried.append({**example, **{name: one.high or one.example for name, one in symbols.items()}})
    cases = [at(sizes) for sizes in tried]
    case = _Comparison(list(symbols), tried).case(cases)
    return {
        **case,
        "requires": [*case.get("requires", []), "runs", "symbols"],
        "symbols": {name: [one.low, one.high] for name, one in symbols.items()},
    }


class _Comparison:
    """Several cases as one."""

    def __init__(self, symbols: Sequence[str], sizes: Sequence[Sizes]) -> None:
        self._symbols = symbols
        self._sizes = sizes

    def case(self, cases: Sequence[Json]) -> Json:
        graphs = [one["graph"] for one in cases]
        first = graphs[0]
        for part in ("storages", "constants", "buffers", "outputs", "subgraphs"):
            if any(one.get(part) != first.get(part) for one in graphs):
                raise UnlikeError(f"its {part} are others at other sizes")
        inputs = {name: self._input(name, [one["inputs"].get(name) for one in graphs]) for name in first["inputs"]}
        counts = {len(one["nodes"]) for one in graphs}
        if len(counts) != 1:
            raise UnlikeError("it is another graph at other sizes")
        nodes = [self._node([one["nodes"][place] for one in graphs]) for place in range(counts.pop())]
        missing = [
            name for name in self._symbols if not any(_has_symbol(spec["type"], name) for spec in inputs.values())
        ]
        if missing:
            raise UnlikeError(f"no tensor's size is {missing[0]}")
        types = {name: spec["type"] for part in ("storages", "inputs") for name, spec in first.get(part, {}).items()}
        feed = {name: {"type": types[name], "data": data} for name, data in cases[0]["feed"].items()}
        rest = {key: value for key, value in cases[0].items() if key != "feed"}
        return {**rest, "graph": {**first, "inputs": inputs, "nodes": nodes}, "runs": [{"feed": feed}]}

    def _input(self, name: str, specs: Sequence[Json | None]) -> Json:
        first = specs[0]
        assert first is not None
        if any(one is None or one.keys() != first.keys() for one in specs):
            raise UnlikeError(f"input {name} is another one at other sizes")
        types = [split_type(one["type"]) for one in specs if one is not None]
        if len({(dtype, len(sizes)) for dtype, sizes in types}) != 1:
            raise UnlikeError(f"input {name} is of another type at other sizes")
        dims = [self._number(list(sizes)) for sizes in zip(*(sizes for _, sizes in types), strict=True)]
        if any(dim is None for dim in dims):
            raise UnlikeError(f"a size of input {name} hangs on no one symbol")
        texts = [dim.removeprefix("$") if isinstance(dim, str) else str(dim) for dim in dims]
        if any(isinstance(dim, str) for dim in dims) and ("strides" in first or "storage" in first):
            raise UnlikeError(f"input {name} is not row-major in memory of its own")
        return {**first, "type": f"{types[0][0]}[{','.join(texts)}]"}

    def _node(self, nodes: Sequence[Json]) -> Json:
        first = nodes[0]
        if any(one["op"] != first["op"] or one["out"] != first["out"] for one in nodes):
            raise UnlikeError(f"node {first['out']} is another one at other sizes")
        changed = dict(first)
        for part in ("args", "kwargs"):
            if part in first:
                changed[part] = self._argument([one.get(part) for one in nodes], first)
        return changed

    def _argument(self, values: Sequence[Any], node: Json) -> Any:
        first = values[0]
        if all(value == first and type(value) is type(first) for value in values):
            return first
        if isinstance(first, dict) and all(isinstance(one, dict) and one.keys() == first.keys() for one in values):
            return {key: self._argument([one[key] for one in values], node) for key in first}
        if isinstance(first, list) and all(isinstance(one, list) and len(one) == len(first) for one in values):
            settled = [self._argument_or_open([one[i] for one in values], node) for i in range(len(first))]
            if settled.count(_OPEN) == 1 and node["op"] in RESHAPES:
                return [-1 if one is _OPEN else one for one in settled]
            if _OPEN not in settled:
                return settled
        elif all(isinstance(one, int) and not isinstance(one, bool) for one in values):
            number = self._number(list(values))
            if number is not None:
                return number
        raise UnlikeError(f"a number of node {node['out']} ({node['op']}) follows no symbol")

    def _argument_or_open(self, values: Sequence[Any], node: Json) -> Any:
        try:
            return self._argument(values, node)
        except UnlikeError:
            return _OPEN

    def _number(self, values: list[int]) -> int | str | None:
        """The number, where it is one; what it is of a symbol, as "$2*s+1"; nothing where it is neither."""
        if len(set(values)) == 1:
            return values[0]
        for symbol in self._symbols:
            sizes = [one[symbol] for one in self._sizes]
            place = next((i for i, size in enumerate(sizes) if size != sizes[0] and values[i] != values[0]), None)
            if place is None:
                continue
            factor, left = divmod(values[place] - values[0], sizes[place] - sizes[0])
            offset = values[0] - factor * sizes[0]
            fits = all(factor * size + offset == value for size, value in zip(sizes, values, strict=True))
            if left == 0 and factor > 0 and fits:
                times = f"{factor}*" if factor != 1 else ""
                return f"${times}{symbol}{offset:+}" if offset else f"${times}{symbol}"
        return None


_OPEN = object()


def _has_symbol(type_text: str, symbol: str) -> bool:
    sizes = type_text.partition("[")[2].rstrip("]").split(",")
    return any((found := relation(size)) is not None and found.symbol == symbol for size in sizes)
