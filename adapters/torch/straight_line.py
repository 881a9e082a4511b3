"""A graph as the source of a Python function: one statement a node, as somebody would have written it.

Compilers that read bytecode (torch.compile, thunder) see only the program, and no interpreter of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from adapters.torch.tensors import DTYPES
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
        if namespace == "quantized_decomposed":
            from torch.ao.quantization.fx import _decomposed  # noqa: F401 - registers them
        return getattr(getattr(getattr(torch.ops, namespace), name), variant)
    except (AttributeError, ValueError) as error:
        raise UnsupportedError(f"this PyTorch has no {op}") from error


def forward_of(graph: Json, attributes: Mapping[str, str], resolve: Resolve = overload) -> Callable[..., Any]:
    """forward(self, inputs…): `attributes` says which values are attributes of self."""
    names: dict[str, Any] = {"torch": torch}  # what the function's globals hold
    inputs = list(graph.get("inputs", {}))

    def text(argument: Any) -> str:
        if isinstance(argument, list):
            return f"[{', '.join(text(element) for element in argument)}]"
        if not isinstance(argument, str):
            return repr(argument)
        value = value_name(argument)
        if value is not None:
            return f"self.{attributes[value]}" if value in attributes else f"v_{value}"
        if argument in _WORDS:
            return str(_WORDS[argument])
        return f'float("{argument}")' if argument in _NUMBERS else repr(argument)

    lines = [f"def forward({', '.join(['self', *(f'v_{name}' for name in inputs)])}):"]
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
