"""A graph as the source of a Python function: one statement a node, as somebody would have written it.

Compilers that read bytecode (torch.compile, thunder) see only the program, and no interpreter of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from adapters.torch import custom_ops
from adapters.torch.control_flow import DIRECT, WRITTEN, ControlFlow
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
        if namespace == "quantized_decomposed":
            from torch.ao.quantization.fx import _decomposed  # noqa: F401 - registers them
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


def forward_of(
    graph: Json, attributes: Mapping[str, str], resolve: Resolve = overload, control: ControlFlow = WRITTEN
) -> Callable[..., Any]:
    """forward(self, inputs…): `attributes` says which values are self's. Subgraphs are functions of their own."""
    names = _custom_operations(graph)  # what the functions' globals hold
    lines: list[str] = []
    for name, subgraph in graph.get("subgraphs", {}).items():
        lines += _function_lines(f"subgraph_{name}", [], subgraph, {}, resolve, control, names)
    lines += _function_lines("forward", ["self"], graph, attributes, resolve, control, names)
    exec(compile("\n".join(lines), "<case>", "exec"), names)
    return names["forward"]


def _custom_operations(graph: Json) -> dict[str, Any]:
    """Names for a source: torch, and what torch.library has for the operations of a case."""
    calls = {custom_ops.reference_of(call): call for call in custom_ops.calls_in(graph)}
    names: dict[str, Any] = {"torch": torch}
    for name, call in calls.items():
        # What its reference calls is looked up when it runs: other operations, too.
        lines = _function_lines("reference", [], graph["subgraphs"][name], {}, overload, DIRECT, names)
        exec(compile("\n".join(lines), f"<custom operation {name}>", "exec"), names)
        names[f"custom_{name}"] = custom_ops.register(graph, call, names.pop("reference"))
    return names


def _function_lines(
    function: str,
    parameters: list[str],
    graph: Json,
    attributes: Mapping[str, str],
    resolve: Resolve,
    control: ControlFlow,
    names: dict[str, Any],
) -> list[str]:
    """The source of one graph as a function; what it calls is put into `names`."""

    def text(argument: Any) -> str:
        if isinstance(argument, list):
            return f"[{', '.join(text(element) for element in argument)}]"
        if isinstance(argument, dict):
            return f"subgraph_{argument['graph']}"
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

    inputs = [f"v_{name}" for name in graph.get("inputs", {})]
    lines = [f"def {function}({', '.join([*parameters, *inputs])}):"]
    lines += [f"    s_{symbol} = {place}" for symbol, place in symbol_places(graph).items()]
    for node in graph.get("nodes", []):
        given = [text(argument) for argument in node.get("args", [])]
        if node["op"] == "getitem":
            lines.append(f"    v_{node['out']} = {given[0]}[{given[1]}]")
            continue
        if node["op"] == "custom":
            operation = f"custom_{custom_ops.reference_of(node)}"
            operands = [text(operand) for operand in node["args"][1]]
            lines.append(f"    v_{node['out']} = {custom_ops.call_text(operation, operands, node['schema'])}")
            continue
        call = node["op"].replace(".", "_")
        if node["op"] in control:
            names[call] = control[node["op"]]
            if control is WRITTEN:
                given = _once(given, node["args"], text)
            lines.append(f"    v_{node['out']} = {call}({', '.join(given)})")
            continue
        names[call] = resolve(node["op"])
        given += [f"{name}={text(argument)}" for name, argument in node.get("kwargs", {}).items()]
        lines.append(f"    v_{node['out']} = {call}({', '.join(given)})")
        lines += _count_lines(node)
    clones = function != "forward" and control is WRITTEN
    outputs = _apart(graph, names) if clones else [False] * len(graph["outputs"])
    pairs = zip(graph["outputs"], outputs, strict=True)
    results = [text(output) + (".clone()" if clone and output is not None else "") for output, clone in pairs]
    lines.append(f"    return ({''.join(f'{result}, ' for result in results)})")
    return lines


def _count_lines(node: Json) -> list[str]:
    """What follows a call whose size its data decide: the symbol that the case has for it, off the result itself."""
    symbol = node.get("count")
    if not isinstance(symbol, str):
        return []
    several = "[0]" if "_unique2" in node["op"] else ""
    indices = node["args"][1] if node["op"] == "aten.index.Tensor" else []
    dim = next((place for place, index in enumerate(indices) if index is not None), 0)
    return [f"    s_{symbol} = v_{node['out']}{several}.size({dim})"]


def _once(given: list[str], arguments: list[Any], text: Callable[[Any], str]) -> list[str]:
    """The arguments of a call of subgraphs with the operands that come again cloned: inputs must not be one tensor."""
    seen: set[str] = set()

    def operand(argument: str) -> str:
        again = argument in seen
        seen.add(argument)
        return text(argument) + (".clone()" if again else "")

    pairs = zip(given, arguments, strict=True)
    return [
        f"[{', '.join(operand(element) for element in argument)}]" if isinstance(argument, list) else written
        for written, argument in pairs
    ]


def _apart(graph: Json, names: Mapping[str, Any]) -> list[bool]:
    """By output of a subgraph: whether it may share memory with an operand or with another output.

    PyTorch asks a person to clone these: "output cannot alias any of the inputs. A clone is required" (while_loop).
    """
    made = set()
    for node in graph.get("nodes", []):
        returns = getattr(getattr(names.get(node["op"].replace(".", "_")), "_schema", None), "returns", None)
        if returns is not None and all(result.alias_info is None for result in returns):
            made.add(f"%{node['out']}")
    return [output not in made or graph["outputs"].index(output) < k for k, output in enumerate(graph["outputs"])]
