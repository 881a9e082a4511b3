"""The arguments of an ATen call as a case has them: every one of them is written down, or refused by name."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch.fx.experimental.symbolic_shapes import cast_symbool_to_symint_guardless

from adapters.torch.tensors import NAMES
from adapters.worker.one_answer import RefusedError

# What each argument of place has to be for a case to do without it: a dense tensor in the memory of the CPU.
PLACES: dict[str, Callable[[Any], bool]] = {
    "device": lambda value: value is None or torch.device(value).type == "cpu",
    "layout": lambda value: value is None or value == torch.strided,
    "pin_memory": lambda value: not value,
}
MEMORY_FORMATS = {
    torch.contiguous_format: "contiguous_format",
    torch.preserve_format: "preserve_format",
    torch.channels_last: "channels_last",
    torch.channels_last_3d: "channels_last_3d",
}
# Callable without a tensor, and not about one: arithmetic on sizes. Nothing else is called by a program's word.
ARITHMETIC_MODULES = ("_operator", "math")


def name_of(overload: torch._ops.OpOverload) -> str:
    return f"{overload.namespace}.{overload._opname}.{overload._overloadname}"


def literal(value: Any) -> Any:
    """An argument that is no tensor."""
    if isinstance(value, torch.dtype):
        if value not in NAMES:
            raise RefusedError(f"a case has no {value}")
        return NAMES[value]
    if isinstance(value, torch.memory_format):
        return MEMORY_FORMATS[value]
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise RefusedError(f"an argument of type {type(value).__name__}")


def written_call(
    overload: torch._ops.OpOverload, args: tuple[Any, ...], kwargs: dict[str, Any], write: Callable[[Any], Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The call's arguments as JSON; `write` gives one that is no list. Places are left out where they say nothing."""
    schema = overload._schema.arguments
    by_position: list[Any] = []
    by_name: dict[str, Any] = {}
    for argument, value in zip(schema, args, strict=False):
        if is_place(argument.name, value):  # it leaves a gap, so what follows goes by name
            continue
        if argument.kwarg_only or len(by_position) < schema.index(argument):
            by_name[argument.name] = listed(value, write)
        else:
            by_position.append(listed(value, write))
    if len(args) > len(schema):
        raise RefusedError(f"{name_of(overload)}: {len(args)} arguments, of {len(schema)}")
    known = {argument.name for argument in schema}
    for name, value in kwargs.items():
        if name not in known:
            raise RefusedError(f"{name_of(overload)} has no argument {name}")
        if not is_place(name, value):
            by_name[name] = listed(value, write)
    return by_position, by_name


def is_place(name: str, value: Any) -> bool:
    if name not in PLACES:
        return False
    if not PLACES[name](value):
        raise RefusedError(f"{name}={value}")
    return True


def listed(value: Any, write: Callable[[Any], Any]) -> Any:
    if isinstance(value, (list, tuple)):
        return [listed(element, write) for element in value]
    return write(value)


def is_arithmetic(target: Any) -> bool:
    """Whether a program may have that function called on its sizes."""
    module, name = getattr(target, "__module__", None), getattr(target, "__name__", "")
    if module in ARITHMETIC_MODULES:
        return name not in ("attrgetter", "itemgetter", "methodcaller", "call")
    return any(target is allowed for allowed in SIZES)


SIZES = (
    *(getattr(torch, name) for name in dir(torch) if name.startswith(("sym_", "_sym_"))),
    torch._check,
    torch._check_is_size,
    cast_symbool_to_symint_guardless,
    round, abs, int, float, bool, min, max,
)  # fmt: skip
