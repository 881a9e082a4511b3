"""Sizes that a torch.export program leaves open: its symbols, their ranges, and inputs at other sizes."""

from __future__ import annotations

from typing import Any

import torch
from torch.export.graph_signature import ConstantArgument, InputKind

from adapters.importing.import_notes import Notes
from adapters.importing.open_sizes import Range
from adapters.torch.tensors import NAMES, decode
from adapters.worker.one_answer import RefusedError

LARGEST_SHOWN = 1 << 31


def user_inputs(program: torch.export.ExportedProgram) -> list[tuple[torch.fx.Node, Any]]:
    """What the caller gives, in order: its placeholder, and what the signature says of it."""
    specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
    nodes = [node for node in program.graph.nodes if node.op == "placeholder"]
    return [(node, specs[node.name].arg) for node in nodes if specs[node.name].kind == InputKind.USER_INPUT]


def open_symbols(program: torch.export.ExportedProgram, fed: list[Any], notes: Notes) -> dict[str, Range]:
    """The symbols that are sizes of tensors, with what the example inputs make of them; others are noted as fixed."""
    found: dict[str, Range] = {}
    ranges = {str(symbol): bounds for symbol, bounds in program.range_constraints.items()}
    for (node, _), value in zip(user_inputs(program), fed, strict=False):
        shown = node.meta.get("val")
        if isinstance(shown, torch.SymInt):
            notes.say(f"symbol {shown} is fixed at {value}: input {node.name} is no tensor")
        if not isinstance(shown, torch.Tensor) or not isinstance(value, torch.Tensor):
            continue
        for dim, size in enumerate(shown.shape):
            if not isinstance(size, torch.SymInt) or not size.node.expr.is_symbol:
                continue
            name = str(size)
            bounds = ranges.get(name)
            low = max(int(bounds.lower), 1) if bounds is not None else 1
            high = None if bounds is None or is_open(bounds) else int(bounds.upper)
            found.setdefault(name, Range(low, high, value.shape[dim]))
    return found


def resized(program: torch.export.ExportedProgram, fed: list[Any], sizes: dict[str, int]) -> list[Any]:
    """The inputs at other sizes of the symbols: repeated until they have them."""

    def at(node: torch.fx.Node, value: Any) -> Any:
        shown = node.meta.get("val")
        if not isinstance(shown, torch.Tensor) or not isinstance(value, torch.Tensor):
            return value
        wanted = [size if isinstance(size, int) else size_at(size, sizes) for size in shown.shape]
        if wanted == list(value.shape):
            return value
        times = [-(-want // max(had, 1)) for want, had in zip(wanted, value.shape, strict=True)]
        return value.repeat(times)[tuple(slice(want) for want in wanted)].contiguous()

    return [at(node, value) for (node, _), value in zip(user_inputs(program), fed, strict=False)]


def size_at(size: torch.SymInt, sizes: dict[str, int]) -> int:
    expression = size.node.expr
    return int(expression.subs({symbol: sizes[str(symbol)] for symbol in expression.free_symbols}))


def is_open(bounds: Any) -> bool:
    """Whether a range has no end that anybody meant."""
    upper = bounds.upper
    return not getattr(upper, "is_number", True) or upper >= LARGEST_SHOWN or "oo" in str(upper)


def drawn_inputs(program: torch.export.ExportedProgram, seed: int) -> list[Any]:
    """Inputs of the types that the program states; a size that it leaves open is as small as is not special."""
    sizes: dict[str, int] = {}
    ranges = {str(symbol): bounds for symbol, bounds in program.range_constraints.items()}

    def size_of(size: Any) -> int:
        if isinstance(size, int):
            return size
        bounds = ranges.get(str(size))
        if bounds is None:
            raise RefusedError(f"it was saved without example inputs, and has a size {size}")
        return sizes.setdefault(str(size), min(max(int(bounds.lower), 2), int(bounds.upper)))

    drawn = []
    for position, (node, argument) in enumerate(user_inputs(program)):
        shown = argument.value if isinstance(argument, ConstantArgument) else node.meta.get("val")
        if not isinstance(shown, torch.Tensor):
            drawn.append(size_of(shown) if isinstance(shown, torch.SymInt) else shown)
            continue
        if shown.dtype not in NAMES:
            raise RefusedError(f"input {node.name} is a tensor of {shown.dtype}")
        drawn.append(random_tensor(shown.dtype, [size_of(size) for size in shown.shape], seed + position))
    return drawn


def random_tensor(dtype: torch.dtype, sizes: list[int], seed: int) -> torch.Tensor:
    """Floats in [-2, 2), small integers, bools."""
    low, high = (-2, 2) if dtype.is_floating_point else (0, 2) if dtype == torch.bool else (0, 5)
    return decode({"random": {"seed": seed, "low": low, "high": high}}, dtype, sizes)
