"""Sizes that a program leaves open. A case has one size each, so an import says which it fixed, and at what."""

from __future__ import annotations

from typing import Any

import torch
from torch.export.graph_signature import ConstantArgument, InputKind

from adapters.importing.import_notes import Notes
from adapters.torch.tensors import NAMES, decode
from adapters.worker.one_answer import RefusedError

LARGEST_SHOWN = 1 << 31


def user_inputs(program: torch.export.ExportedProgram) -> list[tuple[torch.fx.Node, Any]]:
    """What the caller gives, in order: its placeholder, and what the signature says of it."""
    specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
    nodes = [node for node in program.graph.nodes if node.op == "placeholder"]
    return [(node, specs[node.name].arg) for node in nodes if specs[node.name].kind == InputKind.USER_INPUT]


def note_symbols(program: torch.export.ExportedProgram, fed: list[Any], notes: Notes) -> None:
    """Says each symbol, its range, where it stands and what the example inputs fix it at."""
    found: dict[str, tuple[Any, list[str]]] = {}
    for (node, _), value in zip(user_inputs(program), fed, strict=False):
        shown = node.meta.get("val")
        if isinstance(shown, torch.SymInt):
            found.setdefault(str(shown), (value, []))[1].append(node.name)
        if isinstance(shown, torch.Tensor) and isinstance(value, torch.Tensor):
            for dim, size in enumerate(shown.shape):
                if isinstance(size, torch.SymInt):
                    found.setdefault(str(size), (value.shape[dim], []))[1].append(f"size {dim} of {node.name}")
    ranges = {str(symbol): bounds for symbol, bounds in program.range_constraints.items()}
    for symbol, (size, places) in found.items():
        bounds = f" ({range_text(ranges[symbol])})" if symbol in ranges else ""
        notes.say(f"symbol {symbol}{bounds} is fixed at {size}: {', '.join(places)}")


def range_text(bounds: Any) -> str:
    upper = bounds.upper
    open_end = not getattr(upper, "is_number", True) or upper >= LARGEST_SHOWN or "oo" in str(upper)
    return f"{bounds.lower} and up" if open_end else f"{bounds.lower} to {upper}"


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
