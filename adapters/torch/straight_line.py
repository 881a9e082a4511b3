"""A graph as the source of a Python function: one statement a node, as somebody would have written it.

Compilers that read bytecode (torch.compile, thunder) see only the program, and no interpreter of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from adapters.torch.tensors import DTYPES
from adapters.worker.case_symbols import Relation, number, symbolic_dims
from adapters.worker.case_text import value_name
from adapters.worker.system import Json, UnsupportedError

MEMORY_FORMATS: dict[str, torch.memory_format] = {
    "contiguous_format": torch.contiguous_format,
    "preserve_format": torch.preserve_format,
    "channels_last": torch.channels_last,
    "channels_last_3d": torch.channels_last_3d,
}
_WORDS: dict[str, Any] = {**DTYPES, **MEMORY_FORMATS}
_NUMBERS = ("nan", "inf", "-inf")

Resolve = Callable[[str], Callable[..., Any]]  # the callable of "aten.add.Tensor"


def overload(op: str) -> Callable[..., Any]:
    """The overload itself."""
    try:
        namespace, name, variant = op.split(".")
        return getattr(getattr(getattr(torch.ops, namespace), name), variant)
    except (AttributeError, ValueError) as error:
        raise UnsupportedError(f"this PyTorch has no {op}") from error


def symbol_places(graph: Json) -> dict[str, str]:
    """How a model's source reads each symbol: off a dim of an input that is the symbol itself, where there is one."""
    places: dict[str, tuple[bool, str]] = {}
    for name in graph.get("symbolic_dims", {}):
        for dim, one in symbolic_dims(graph, name).items():
            plain = one == Relation(one.symbol)
            text = f"v_{name}.size({dim})" if plain else f"(v_{name}.size({dim}) - {one.offset}) // {one.factor}"
            if plain > places.get(one.symbol, (False, ""))[0] or one.symbol not in places:
                places[one.symbol] = (plain, text)
    return {symbol: text for symbol, (_, text) in places.items()}


def forward_of(graph: Json, attributes: Mapping[str, str], resolve: Resolve = overload) -> Callable[..., Any]:
    """forward(self, inputs…): `attributes` says which values are attributes of self."""
    names: dict[str, Any] = {"torch": torch}  # what the function's globals hold
    inputs = list(graph.get("inputs", {}))

    def text(argument: Any) -> str:
        if isinstance(argument, list):
            return f"[{', '.join(text(element) for element in argument)}]"
        if not isinstance(argument, str):
            return repr(argument)
        size = number(argument)
        if size is not None:
            return (
                f"({size.factor} * s_{size.symbol} + {size.offset})"
                if size.factor > 1 or size.offset
                else f"s_{size.symbol}"
            )
        value = value_name(argument)
        if value is not None:
            return f"self.{attributes[value]}" if value in attributes else f"v_{value}"
        if argument in _WORDS:
            return str(_WORDS[argument])
        return f'float("{argument}")' if argument in _NUMBERS else repr(argument)

    lines = [f"def forward({', '.join(['self', *(f'v_{name}' for name in inputs)])}):"]
    lines += [f"    s_{symbol} = {place}" for symbol, place in symbol_places(graph).items()]
    for node in graph.get("nodes", []):
        given = [text(argument) for argument in node.get("args", [])]
        if node["op"] == "getitem":
            lines.append(f"    v_{node['out']} = {given[0]}[{given[1]}]")
            continue
        call = node["op"].replace(".", "_")
        names[call] = resolve(node["op"])
        given += [f"{name}={text(argument)}" for name, argument in node.get("kwargs", {}).items()]
        lines.append(f"    v_{node['out']} = {call}({', '.join(given)})")
    lines.append(f"    return ({''.join(f'{text(output)}, ' for output in graph['outputs'])})")
    exec(compile("\n".join(lines), "<case>", "exec"), names)
    return names["forward"]
