"""torch.fx's Python code of a graph, written and compiled once for equal graphs.

Each pass makes a graph module or two and asks for their code several times over, mostly of graphs that are node by node
the last one: a fifth of what lowering a small graph for XNNPACK costs (some 400 times a case). The text is a function
of what `graph_key` reads, and what is compiled of it a function of the text and of the names that it uses.
"""

from __future__ import annotations

import builtins
import os
import types
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import torch
from torch.fx import graph_module as fx_graph_module
from torch.fx.graph import CodeGen, Graph, PythonCode
from torch.fx.node import Node

# Graphs of this many cases, about; what they hold are texts and code objects.
MOST = 4_000

# Values whose repr() is all that the code has of them, wherever they are; what is not of these is written anew.
_PLAIN = (int, float, complex, bool, str, type(None), torch.dtype, torch.device, torch.layout, torch.memory_format)
_PLAIN_TYPES = frozenset((*_PLAIN, type(Ellipsis)))


class _NotPlainError(Exception):
    """A graph that has something of which the text may depend on more than the key says."""


def _argument_key(argument: Any) -> Hashable:
    """What the text has of an argument: equal keys have equal texts (1, 1.0 and True are equal, and have three)."""
    kind = type(argument)
    if kind is Node:
        return (Node, argument.name)
    if kind in _PLAIN_TYPES:
        return (kind, repr(argument))  # -0.0 equals 0.0, and a NaN not even itself
    if isinstance(argument, (tuple, list)) and not hasattr(argument, "_fields"):
        return (isinstance(argument, tuple), *map(_argument_key, argument))
    raise _NotPlainError


def _node_key(node: Node) -> Hashable:
    if node.type is not None or type(node.target).__hash__ is None:
        raise _NotPlainError
    arguments = tuple(map(_argument_key, node.args))
    named = tuple((name, _argument_key(value)) for name, value in node.kwargs.items()) if node.kwargs else ()
    # Whether somebody uses it: what nobody uses is deleted in the text. is_wrapped adds a line.
    return node.op, node.name, node.target, arguments, named, not node.users, node.meta.get("is_wrapped", False)


def graph_key(graph: Graph) -> Hashable | None:
    """What the plain text of a graph is made of; None for one that has more than this knows of."""
    codegen = graph._codegen
    if type(codegen) is not CodeGen or codegen._body_transformer is not None:
        return None
    try:
        return tuple(map(_node_key, graph.nodes))
    except _NotPlainError:
        return None


class _Kept(OrderedDict[Hashable, Any]):
    """The last results that were asked for."""

    def keep(self, key: Hashable, value: Any) -> Any:
        self[key] = value
        if len(self) > MOST:
            self.popitem(last=False)
        return value

    def of(self, key: Hashable) -> Any:
        found = self.get(key)
        if found is not None:
            self.move_to_end(key)
        return found


class GraphCode:
    """In the place of Graph.python_code and of what compiles its text, from when it is made."""

    def __init__(self) -> None:
        self.written = 0  # how often torch.fx did it itself
        self.compiled = 0
        self._texts = _Kept()
        self._functions = _Kept()
        self._python_code = Graph.python_code
        self._forward_from_src = fx_graph_module._forward_from_src
        python_code, texts = self._python_code, self._texts

        def kept_code(graph: Graph, root_module: str, **how: Any) -> PythonCode:
            # `record_func` is what recompile() always says; the variables are those that the text depends on.
            plain = not any(how.values()) and not _asked_for_more()
            key = graph_key(graph) if plain else None
            if key is None:
                self.written += 1
                return python_code(graph, root_module, **how)
            found = texts.of((root_module, key))
            if found is None:
                self.written += 1
                found = texts.keep((root_module, key), python_code(graph, root_module, **how))
            # With a dictionary of its own, as a new one would have. Nobody writes to the other one.
            return replace(found, globals=dict(found.globals))

        Graph.python_code = kept_code
        fx_graph_module._forward_from_src = self._compile

    def _compile(self, src: str, names: dict[str, Any], co_fields: dict[str, Any] | None = None) -> Callable[..., Any]:
        """The function of a text: the code object that the same text had, over these names."""
        if co_fields:
            return self._forward_from_src(src, names, co_fields)
        code = self._functions.of(src)
        if code is None:
            self.compiled += 1
            made = self._forward_from_src(src, names, co_fields)
            # Only where one `def` is all that the text is, without defaults and annotations, which are run with it.
            alone = src.lstrip().startswith("def forward(") and type(made) is types.FunctionType
            if alone and not made.__defaults__ and not made.__annotations__ and not made.__closure__:
                self._functions.keep(src, made.__code__)
            return made
        inside = dict(names)
        inside["__builtins__"] = builtins.__dict__  # as exec() has it
        return types.FunctionType(code, inside, "forward")


def _asked_for_more() -> bool:
    """Whether one of the variables that torch.fx looks at asks for more in the text."""
    return any(os.environ.get(f"FX_GRAPH_SHOW_{what}", "0") == "1" for what in ("STRIDE", "DEVICE", "META"))
