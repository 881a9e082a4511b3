"""Walks a model's nodes: each becomes what its row says, is folded if all that it reads is known, or is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import onnx
import onnx.defs

from adapters.importing.onnx import rows  # noqa: F401 - fills the table
from adapters.importing.onnx.body import Body
from adapters.importing.onnx.control import CONTROL
from adapters.importing.onnx.evaluation import fold
from adapters.importing.onnx.node import Node
from adapters.importing.onnx.reading import initializers
from adapters.importing.onnx.table import NEWEST, Row, find
from adapters.importing.onnx.types import element_dtype
from adapters.importing.onnx.values import (
    MOST_ELEMENTS,
    Builder,
    NoCounterpartError,
    NotKnownError,
    Value,
    dtype_name,
)
from adapters.worker.arrays import Array
from adapters.worker.system import Json

Scope = dict[str, Value]

DEFAULT_SIZE = 2  # of a dim that the model leaves open: 1 would broadcast against everything
MOST_STEPS = 200_000  # nodes that are walked, those of loops each time


class Importer:
    """A model's graph as a case's.

    `types` gives inputs a dtype and sizes, `fixed` elements: such an input is a constant of the case.
    """

    def __init__(
        self,
        model: onnx.ModelProto,
        folder: Path,
        types: dict[str, tuple[str, list[int]]] | None = None,
        fixed: dict[str, Array] | None = None,
        sizes: dict[str, int] | None = None,
    ) -> None:
        self.b = Builder()
        self.notes = self.b.notes
        self.names: dict[str, str] = {}  # the case's name of each of the model's inputs
        self._opset = _operator_set(model)
        self._folder = folder
        self._steps = 0
        self._symbols: dict[str, int] = dict(sizes or {})
        self.open: dict[str, int] = {}  # symbols that nobody gave a size, by their names, with the one they have
        scope: Scope = {}
        arrays = initializers(model.graph, folder)
        for name, array in {**arrays, **(fixed or {})}.items():
            self._known(scope, name, array)
        for info in model.graph.input:
            if info.name in (types or {}):
                self._bind(info.name, info.type.tensor_type, (types or {})[info.name])
        for info in model.graph.input:
            if info.name not in scope:
                self._input(scope, info, (types or {}).get(info.name))
        self._graph(model.graph, scope)
        self.outputs = [self.b.text(self._find(scope, info.name)) for info in model.graph.output]

    def case(self, name: str, feed: Json) -> Json:
        used = {word for node in self.b.nodes for word in _words([node["args"], node.get("kwargs", {})])}
        used |= set(self.outputs)
        constants = {one: spec for one, spec in self.b.constants.items() if f"%{one}" in used}
        graph = {"inputs": self.b.inputs, "constants": constants, "nodes": self.b.nodes, "outputs": self.outputs}
        subgraphs = _reached(self.b.subgraphs, self.b.nodes)
        if subgraphs:
            graph["subgraphs"] = subgraphs
        needs = (("subgraphs", subgraphs), ("quantized", _quantizes(graph)))
        required = [feature for feature, needed in needs if needed]
        head = {"parallax": 1, "name": name, **({"requires": required} if required else {})}
        return {**head, "graph": graph, "feed": feed}

    # ---- inputs

    def _known(self, scope: Scope, name: str, array: Array) -> None:
        scope[name] = self.b.known(array, dtype_name(array.dtype), name)

    def _input(self, scope: Scope, info: onnx.ValueInfoProto, given: tuple[str, list[int]] | None) -> None:
        kind = info.type.WhichOneof("value")
        if kind != "tensor_type":
            raise NoCounterpartError(f"input {info.name!r} is a {(kind or 'nothing').removesuffix('_type')}, no tensor")
        tensor = info.type.tensor_type
        try:
            dtype = element_dtype(tensor.elem_type)
        except NoCounterpartError as error:
            raise NoCounterpartError(f"input {info.name!r}: {error}") from error
        if given is None and not tensor.HasField("shape"):
            raise NoCounterpartError(f"input {info.name!r} has no sizes: give its type with --input")
        sizes = self._sizes(info.name, tensor) if given is None else given[1]
        scope[info.name] = self.b.input(info.name, dtype, tuple(sizes))
        self.names[info.name] = scope[info.name].name

    def _bind(self, name: str, tensor: onnx.TypeProto.Tensor, given: tuple[str, list[int]]) -> None:
        """What a type that is given says of symbols, if the model does not contradict it."""
        dtype, dims = element_dtype(tensor.elem_type), list(tensor.shape.dim)
        if given[0] != dtype or (tensor.HasField("shape") and len(dims) != len(given[1])):
            raise NoCounterpartError(f"--input: {name!r} is {dtype} of {len(dims)} dims")
        for dim, size in zip(dims, given[1], strict=False):
            if dim.HasField("dim_value") and dim.dim_value != size:
                raise NoCounterpartError(f"--input: a dim of {name!r} is {dim.dim_value}, and not {size}")
            if dim.dim_param and self._symbols.setdefault(dim.dim_param, size) != size:
                raise NoCounterpartError(f"--input: {dim.dim_param!r} is {self._symbols[dim.dim_param]} and {size}")

    def _sizes(self, name: str, tensor: onnx.TypeProto.Tensor) -> list[int]:
        """The sizes that the model states; one that it leaves open is fixed, and that is noted."""
        dims = list(tensor.shape.dim)
        sizes = []
        for d, dim in enumerate(dims):
            if dim.HasField("dim_value"):
                sizes.append(int(dim.dim_value))
                continue
            if not dim.dim_param:
                self.notes.append(f"dim {d} of {name!r} is fixed at {DEFAULT_SIZE}")
            elif dim.dim_param not in self._symbols:
                self.open[dim.dim_param] = DEFAULT_SIZE
            size = self._symbols.setdefault(dim.dim_param, DEFAULT_SIZE) if dim.dim_param else DEFAULT_SIZE
            sizes.append(size)
        return sizes

    # ---- nodes

    def _graph(self, graph: onnx.GraphProto, scope: Scope) -> None:
        for node in _in_order(graph, scope):
            self._node(node, scope)

    def _find(self, scope: Scope, name: str) -> Value:
        if name not in scope:
            raise NoCounterpartError(f"{name!r} is read, and nothing makes it")
        return scope[name]

    def _node(self, proto: onnx.NodeProto, scope: Scope) -> None:
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise NoCounterpartError(f"its loops run more than {MOST_STEPS} nodes")
        version = self._version(proto)
        where = f"node {proto.name or next(filter(None, proto.output), '')!r} ({proto.op_type}, version {version})"
        if proto.domain not in ("", "ai.onnx"):
            where = f"node {proto.name or proto.output[0]!r} ({proto.domain}.{proto.op_type})"
        try:
            inputs = [self._find(scope, name) if name else None for name in proto.input]
            self.b.roots = frozenset().union(*(value.roots for value in inputs if value is not None))
            self.b.hint = next(filter(None, proto.output), "v")
            results = self._results(proto, version, inputs, scope)
        except NotKnownError as error:
            raise NotKnownError(f"{where} has no counterpart in a case: {error}", error.roots) from error
        except NoCounterpartError as error:
            text = str(error)
            raise NoCounterpartError(
                text if text.startswith("node ") else f"{where} has no counterpart in a case: {text}"
            ) from error
        except (KeyError, IndexError, ValueError, TypeError, AttributeError, ZeroDivisionError) as error:
            raise NoCounterpartError(f"{where} has no counterpart in a case: {error}") from error
        for name, value in zip(proto.output, results, strict=False):
            if name:
                scope[name] = value

    def _version(self, proto: onnx.NodeProto) -> int:
        if proto.domain not in ("", "ai.onnx"):
            return 0
        try:
            return int(onnx.defs.get_schema(proto.op_type, self._opset, "").since_version)
        except onnx.defs.SchemaError:
            return 0

    def _results(self, proto: onnx.NodeProto, version: int, inputs: list[Value | None],
                 scope: Scope) -> Sequence[Value]:  # fmt: skip
        row = find(proto.op_type, version) if version else None
        node, begin = Node(proto, version, inputs), len(self.b.nodes)
        made = self._written(node, row, scope)
        if node.unread():
            raise NoCounterpartError(f"{', '.join(node.unread())} would be lost")
        missing = [i for i, name in enumerate(proto.output) if name and (i >= len(made) or made[i] is None)]
        if missing:
            raise NoCounterpartError(f"its result {missing[0]} is used")
        values = [made[i] if name else None for i, name in enumerate(proto.output)]
        return self._named(proto, values, begin, inputs)

    def _written(self, node: Node, row: Row | None, scope: Scope) -> list[Value | None]:
        if node.version and node.kind in CONTROL:
            return CONTROL[node.kind](self, node, scope)
        if row is None:
            raise NoCounterpartError("no ATen call expresses it" if node.version else "it is no operator of ONNX's own")
        made = row.call(self.b, node)
        return [made] if isinstance(made, Value) else list(made)

    def _named(self, proto: onnx.NodeProto, values: list[Value | None], begin: int,
               inputs: list[Value | None]) -> list[Value]:  # fmt: skip
        """The results under the model's names; folded where all that the node reads is known."""
        kept = [value for value in values if value is not None]
        known = all(value is None or value.array is not None for value in inputs)
        small = all(value.numel <= MOST_ELEMENTS for value in kept)
        if known and small and len(self.b.nodes) > begin:
            pending = [value.name for value in kept if value.array is None]
            folded = fold(self.b, begin, pending)
            if folded is not None:
                return [
                    value if value is None or value.array is not None
                    else self.b.known(folded[value.name], value.dtype, name)
                    for value, name in zip(values, proto.output, strict=True)
                ]  # fmt: skip
        named = []
        for value, name in zip(values, proto.output, strict=True):
            if value is not None and value.array is not None:
                value = replace(value, name=value.name or name)
            elif value is not None:
                value = self.b.rename(value, name, begin)
            named.append(value)
        return named

    # ---- subgraphs

    def apart(
        self,
        graph: onnx.GraphProto,
        scope: Scope,
        like: Sequence[Value] = (),
        arrange: Callable[[list[Value]], list[Value]] = list,
    ) -> tuple[Body, list[Value]]:
        """A subgraph as one of the case, with inputs like these that `arrange` makes its operands of, and what it
        returns."""
        around, body = self.b, Body(self.b)
        self.b = body
        try:
            results = self.run(graph, scope, arrange([body.parameter(value) for value in like]))
        finally:
            self.b = around
        return body, results

    def run(self, graph: onnx.GraphProto, scope: Scope, given: Sequence[Value]) -> list[Value]:
        """What a subgraph makes of these operands, inlined."""
        inner = dict(scope)
        for name, array in initializers(graph, self._folder).items():
            self._known(inner, name, array)
        for info, value in zip(graph.input, given, strict=True):
            inner[info.name] = value
        self._graph(graph, inner)
        return [self._find(inner, info.name) for info in graph.output]


def _reached(subgraphs: Json, nodes: Sequence[Json]) -> Json:
    """Those that the nodes run, and that these run: what a loop was tried as may have left others."""
    found: Json = {}
    for node in nodes:
        for argument in node["args"]:
            name = argument.get("graph") if isinstance(argument, dict) else None
            if name is not None and name not in found:
                found |= {name: subgraphs[name], **_reached(subgraphs, subgraphs[name]["nodes"])}
    return found


def _quantizes(graph: Json) -> bool:
    graphs = [graph, *graph.get("subgraphs", {}).values()]
    return any(node["op"].startswith("quantized_decomposed.") for one in graphs for node in one["nodes"])


def _operator_set(model: onnx.ModelProto) -> int:
    versions = [one.version for one in model.opset_import if one.domain in ("", "ai.onnx")]
    known = min(onnx.defs.onnx_opset_version(), NEWEST)
    if versions and versions[0] > known:
        raise NoCounterpartError(f"operator set {versions[0]} is newer than {known}, the newest that is known here")
    return versions[0] if versions else 1


def _in_order(graph: onnx.GraphProto, scope: Scope) -> list[onnx.NodeProto]:
    """The nodes, each after those that it reads from."""
    made = {name for node in graph.node for name in node.output if name}
    waiting, done, ordered = list(graph.node), set(scope), []
    while waiting:
        later = []
        for node in waiting:
            if all(name in done or name not in made for name in _reads(node)):
                ordered.append(node)
                done.update(node.output)
            else:
                later.append(node)
        if len(later) == len(waiting):
            name = later[0].name or later[0].output[0]
            raise NoCounterpartError(f"node {name!r} ({later[0].op_type}) reads what depends on its result: a cycle")
        waiting = later
    return ordered


def _reads(node: onnx.NodeProto) -> set[str]:
    """What a node and its subgraphs read from around it."""
    names = {name for name in node.input if name}
    for attribute in node.attribute:
        for graph in [*attribute.graphs, *([attribute.g] if attribute.HasField("g") else [])]:
            own = {info.name for info in graph.input} | {tensor.name for tensor in graph.initializer}
            own |= {name for inner in graph.node for name in inner.output}
            names |= {name for inner in graph.node for name in _reads(inner)} - own
            names |= {info.name for info in graph.output} - own
    return names


def _words(argument: object) -> set[str]:
    if isinstance(argument, str):
        return {argument}
    inner = argument.values() if isinstance(argument, dict) else argument if isinstance(argument, list) else ()
    return {word for element in inner for word in _words(element)}
