"""A case's graph as an ONNX model, written directly: no exporter stands between the case and the system under test.

The model's inputs are the case's inputs and buffers, or the storages that several of them are windows on; its outputs
are the case's outputs and then every input, buffer and storage that the graph wrote to.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from adapters.onnx import (  # noqa: F401 - those that are not named again fill the table
    activations,
    arithmetic,
    attention,
    bags,
    convolutions,
    layers,
    layouts,
    logic,
    movement,
    pointwise,
    pools,
    products,
    quantization,
    recurrent,
    reductions,
)
from adapters.onnx.branches_and_loops import OPS as CONTROL
from adapters.onnx.branches_and_loops import ControlWriter, Ran
from adapters.onnx.graph import Graph, Value
from adapters.onnx.layouts import Layout
from adapters.onnx.memory import Memory, Reference, Tensor
from adapters.onnx.ops import FUNCTIONS, IN_PLACE, Function
from adapters.onnx.views import COPIES, OBJECTS, SCATTERS, VIEWS
from adapters.onnx.written_names import written_names
from adapters.worker.arrays import decode
from adapters.worker.case_text import contiguous_strides, split_type, value_name
from adapters.worker.system import Json, UnsupportedError

_WRITTEN = sorted({*FUNCTIONS, *IN_PLACE, *VIEWS, *COPIES, *OBJECTS, *SCATTERS, "getitem"})
QUANTIZED_OPS = tuple(op for op in _WRITTEN if op.startswith("quantized_decomposed."))
OPS = tuple(op for op in _WRITTEN if op not in QUANTIZED_OPS)


@dataclass(frozen=True)
class Window:
    """Where an input or buffer of the case lies: in a model's input of its name, or on a storage."""

    source: str  # the model's input
    dtype: str
    layout: Layout
    flat: bool  # the model's input is the storage, one-dimensional


@dataclass
class Written:
    """A model, and how the case's names are found among its inputs and outputs."""

    graph: Graph
    windows: dict[str, Window]  # of the case's inputs and buffers
    outputs: list[str]  # one for each output of the case
    final: dict[str, Layout] = field(default_factory=dict)  # of inputs and buffers after the run: squeeze_ changes it
    updated: dict[str, str] = field(default_factory=dict)  # the model's inputs that are written: their last values


@dataclass(frozen=True)
class MoreFunctions:
    """Overloads that are written in operators that ONNX lacks, for a consumer that has them, and their twins; and what
    a consumer lacks."""

    functions: Mapping[str, Function] = field(default_factory=dict)
    in_place: Mapping[str, str] = field(default_factory=dict)
    captures: bool = True  # whether the body of a Scan may read what is around it


def write(case_graph: Json, keep_all: bool = False, more: MoreFunctions | None = None) -> Written:
    """The model of a case's graph, or UnsupportedError. `keep_all` is Graph's."""
    return _Writer(case_graph, keep_all, more or MoreFunctions()).written


@dataclass(frozen=True)
class _Tables:
    """What is the same for a case's graph and its subgraphs."""

    functions: Mapping[str, Function]
    in_place_of: Mapping[str, str]
    subgraphs: Mapping[str, Json]
    captures: bool


class _Walk:
    """Writes the nodes of a case's graph, or of a subgraph, into a graph."""

    def __init__(self, graph: Graph, tables: _Tables) -> None:
        self.graph = graph
        self.memory = Memory(graph)
        self.names: dict[str, Any] = {}
        self._tables = tables
        self._control = ControlWriter(graph, self.memory, self._run, tables.captures)

    def _run(self, graph: Graph, name: str, values: Sequence[Value]) -> Ran:
        subgraph, walk = self._tables.subgraphs[name], _Walk(graph, self._tables)
        operands = []
        for (plain, spec), value in zip(subgraph["inputs"].items(), values, strict=True):
            operands.append(walk.memory.fresh(value, _window(plain, spec).layout))
            walk.names[plain] = Reference(operands[-1])
        walk.nodes(subgraph)
        tensors = [walk.convert(output).tensor for output in subgraph["outputs"]]
        return Ran([walk.memory.read(one) for one in tensors], tensors, operands, walk.memory)

    def nodes(self, case_graph: Json) -> None:
        fresh = {*self._tables.functions, *COPIES, *SCATTERS}
        written = written_names(case_graph, dict(self._tables.subgraphs), fresh)
        for node in case_graph.get("nodes", []):
            self.memory.writes = node["out"] in written or node["op"] in SCATTERS
            self.names[node["out"]] = self._node(node)

    # ---- nodes

    def _node(self, node: Json) -> Any:
        op = node["op"]
        args = [self.convert(argument) for argument in node.get("args", [])]
        kwargs = {name: self.convert(argument) for name, argument in node.get("kwargs", {}).items()}
        if op == "getitem":
            return args[0][args[1]]
        if op in CONTROL:
            return self._control.call(op, args)
        if op in OBJECTS:
            return _call(OBJECTS[op], op, self.memory, *args, **kwargs)
        if op in VIEWS:
            return _each(Reference, _call(VIEWS[op], op, self.memory, *_tensors(args), **_tensors(kwargs)))
        if op in COPIES:
            views = _call(COPIES[op], op, self.memory, *_tensors(args), **_tensors(kwargs))
            return _each(lambda made: Reference(self._copy(made)), views)
        if op in SCATTERS:
            return Reference(_call(SCATTERS[op], op, self.memory, *_tensors(args), **_tensors(kwargs)))
        if op in self._tables.in_place_of:
            return self._in_place(op, args, kwargs)
        if op in self._tables.functions:
            return self._function(op, args, kwargs)
        raise UnsupportedError(f"{op} has no counterpart in ONNX that is written here")

    def _copy(self, made: Tensor) -> Tensor:
        """Fresh memory, laid out as eager's clone in contiguous_format."""
        return self.memory.fresh(self.graph.identity(self.memory.read(made)))

    def _values(self, function: Function, op: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return _call(function.call, op, self.graph, *self._read(args), **self._read(kwargs))

    def _function(self, op: str, args: list[Any], kwargs: dict[str, Any]) -> Any:
        function = self._tables.functions[op]
        tensors = list(_operands([args, kwargs]))
        certain = all(tensor.storage.certain for tensor in tensors)
        dense = all(tensor.layout.is_contiguous() for tensor in tensors)
        row_major = function.row_major([tensor.layout.rank for tensor in tensors])

        def fresh(value: Value | None) -> Reference | None:
            if value is None:
                return None
            if value.name in self.graph.initializers:
                value = self.graph.identity(value)  # a constant that the graph may write to
            if function.pointwise and certain and tensors:
                layout = layouts.elementwise(value.shape, [tensor.layout for tensor in tensors])
                return Reference(self.memory.fresh(value, layout))
            known = row_major or (certain and (dense or not tensors) and not function.strided)
            return Reference(self.memory.fresh(value, certain=known))

        return _each(fresh, self._values(function, op, args, kwargs))

    def _in_place(self, op: str, args: list[Any], kwargs: dict[str, Any]) -> Reference:
        target: Reference = args[0] if args else kwargs["self"]
        if target.tensor.layout.is_expanded():
            raise UnsupportedError("a write to an expanded tensor")
        value = self._values(self._tables.functions[self._tables.in_place_of[op]], op, args, kwargs)
        value = self.graph.cast(value, target.tensor.dtype)
        if value.shape != target.tensor.layout.sizes:
            raise UnsupportedError("an in-place result of other sizes than its operand")
        self.memory.write(target.tensor, value)
        return target

    # ---- arguments and outputs

    def convert(self, argument: Any) -> Any:
        """References for values, floats for "nan" and its like; dtypes and other words stay."""
        if isinstance(argument, list):
            return [self.convert(element) for element in argument]
        if argument in ("nan", "inf", "-inf"):
            return float(argument)
        name = value_name(argument)
        if name and self.names[name] is None:
            raise UnsupportedError("a result that only gradients need")
        return self.names[name] if name else argument

    def _read(self, argument: Any) -> Any:
        """Arguments with Values for References."""
        if isinstance(argument, dict):
            return {name: self._read(element) for name, element in argument.items()}
        if isinstance(argument, list):
            return [self._read(element) for element in argument]
        return self.memory.read(argument.tensor) if isinstance(argument, Reference) else argument


class _Writer(_Walk):
    """Writes a case: its nodes, and what they read from and return."""

    def __init__(self, case_graph: Json, keep_all: bool, more: MoreFunctions) -> None:
        subgraphs = case_graph.get("subgraphs", {})
        tables = _Tables({**FUNCTIONS, **more.functions}, {**IN_PLACE, **more.in_place}, subgraphs, more.captures)
        super().__init__(Graph(keep_all), tables)
        self.written = Written(self.graph, {}, [])
        roots = self._declare(case_graph)
        self.nodes(case_graph)
        for argument in case_graph["outputs"]:
            self._output(self.convert(argument))
        for name in self.written.windows:
            self.written.final[name] = self.names[name].tensor.layout
        for source, root in roots.items():
            if root.storage.version:
                self.written.updated[source] = self._finished(self.memory.read(root))

    def _declare(self, case_graph: Json) -> dict[str, Tensor]:
        """Inputs, buffers and constants; gives the tensors of the model's inputs."""
        roots: dict[str, Tensor] = {}
        for name, spec in case_graph.get("storages", {}).items():
            dtype, (elements,) = split_type(spec["type"])
            source = self.graph.input(name, dtype, [elements])
            roots[name] = self.memory.fresh(source)
        for group in ("inputs", "buffers"):
            for name, spec in case_graph.get(group, {}).items():
                window = _window(name, spec)
                self.written.windows[name] = window
                if window.source not in roots:
                    sizes = [window.layout.extent()] if window.flat else window.layout.sizes
                    roots[window.source] = self.memory.fresh(self.graph.input(name, window.dtype, sizes))
                root = roots[window.source]
                tensor = self.memory.strided(root, window.layout) if window.flat else root
                self.names[name] = Reference(tensor)
        for name, spec in case_graph.get("constants", {}).items():
            dtype, sizes = split_type(spec["type"])
            if "storage" in spec:
                raise UnsupportedError("a constant that is a window on a storage")
            value = self.graph.initializer(name, decode(spec["data"], spec["type"]), dtype)
            strides = tuple(spec.get("strides", contiguous_strides(sizes)))
            self.names[name] = Reference(self.memory.fresh(value, Layout(tuple(sizes), strides)))
        return roots

    def _output(self, reference: Any) -> None:
        for one in reference if isinstance(reference, list) else [reference]:
            self.written.outputs.append(self._finished(self.memory.read(one.tensor)))

    def _finished(self, value: Value) -> str:
        self.graph.output(value)
        return self.graph.outputs[-1].name


def _window(name: str, spec: Json) -> Window:
    dtype, sizes = split_type(spec["type"])
    strides = tuple(spec.get("strides", contiguous_strides(sizes)))
    layout = Layout(tuple(sizes), strides, spec.get("offset", 0))
    flat = "storage" in spec or not (layout.is_contiguous() and strides == tuple(contiguous_strides(sizes)))
    return Window(spec.get("storage", name), dtype, layout, flat)


def _call(call: Callable[..., Any], op: str, *args: Any, **kwargs: Any) -> Any:
    try:
        bound = inspect.signature(call).bind(*args, **kwargs)
    except TypeError as error:
        raise UnsupportedError(f"{op}: {error}") from error
    return call(*bound.args, **bound.kwargs)


def _each(make: Callable[[Any], Any], results: Any) -> Any:
    return [make(one) for one in results] if isinstance(results, list) else make(results)


def _operands(argument: Any) -> Any:
    """The tensors among the arguments, in order."""
    if isinstance(argument, Reference):
        yield argument.tensor
    for element in (
        argument.values() if isinstance(argument, Mapping) else argument if isinstance(argument, list) else ()
    ):
        yield from _operands(element)


def _tensors(arguments: Any) -> Any:
    """Arguments with Tensors for References."""
    if isinstance(arguments, dict):
        return {name: _tensors(element) for name, element in arguments.items()}
    if isinstance(arguments, list):
        return [_tensors(element) for element in arguments]
    return arguments.tensor if isinstance(arguments, Reference) else arguments
