"""A saved torch.export program (FILE.pt2), or a module, function or autograd.Function of a Python file (bug.py:Bug), as
a case on standard output.

    python3 adapters importing.exported_program FILE.pt2
    python3 adapters importing.exported_program bug.py:Bug [--input TYPE]… [--seed N]
    python3 adapters importing.exported_program … --known OP,OP,… [--library FILE|MODULE]…

One line of JSON; what cannot be expressed is one line on standard error and exit code 2. With --known, an op that is
not among them stands as calls that are. What was fixed, replaced or left out is in the case's origin, as notes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import torch
from torch.export.graph_signature import InputKind, OutputKind
from torch.utils._pytree import tree_flatten

from adapters.importing.import_notes import Notes
from adapters.importing.imported_graph import BUFFER, CONSTANT, INPUT, ImportedGraph, Value, check_dense, storage_of
from adapters.importing.op_expansion import Expander
from adapters.importing.op_libraries import load_libraries
from adapters.importing.open_sizes import Range, with_symbols
from adapters.importing.program_archive import load_archive
from adapters.importing.program_walk import Walk, private_copies
from adapters.importing.python_program import PythonProgram
from adapters.importing.size_symbols import drawn_inputs, open_symbols, resized
from adapters.importing.weights_beside import move_weights
from adapters.worker.one_answer import RefusedError, answer_once

Json = dict[str, Any]

# What memory without values holds in the case, and in the second run that shows whether a result depends on it.
FILL, OTHER_FILL = 0.0, 77.0


class ProgramCase:
    """An exported program as a case. `made` is what it shows, for a comparison."""

    def __init__(
        self,
        program: torch.export.ExportedProgram,
        known: set[str],
        seed: int,
        fill: float,
        sizes: dict[str, int] | None = None,
    ) -> None:
        self._program = program
        self._sizes = sizes  # of the symbols; nothing: those of the example
        self.symbols: dict[str, Range] = {}
        self._seed = seed
        self._state = {**program.state_dict, **program.constants}
        self._graph = ImportedGraph()
        self._sources: dict[str, Value] = {}  # by the placeholder's name
        self._outputs: list[Value] = []
        self.notes = Notes()
        self.expander = Expander(known, fill)

    def write(self) -> Json:
        fed = self._example_inputs()
        specs = {spec.arg.name: spec for spec in self._program.graph_signature.input_specs}
        given = [
            (node, specs[node.name], self._given(node, specs[node.name], fed))
            for node in self._program.graph.nodes
            if node.op == "placeholder"
        ]
        tensors = [value for *_, value in given if isinstance(value, torch.Tensor)]
        own = iter(private_copies(tensors)[0] if may_write(self._program) else tensors)
        inputs = [
            self._declared(node, spec, next(own)) if isinstance(value, torch.Tensor) else value
            for node, spec, value in given
        ]
        self._graph.freeze()
        walk = Walk(self._graph, self.expander, self.notes)
        self._results(walk.run(self._program.graph_module, inputs))
        graph, feed = self._graph.write()
        if not graph["outputs"] and not graph.get("buffers"):
            raise RefusedError("the program returns no tensor")
        subgraphs = graph.get("subgraphs", {})
        ops = [node["op"] for one in (graph, *subgraphs.values()) for node in one["nodes"]]
        quantized = any(op.startswith("quantized_decomposed.") for op in ops)
        required = [name for name, needed in (("quantized", quantized), ("subgraphs", subgraphs)) if needed]
        head = {"parallax": 1, "name": "imported", **({"requires": required} if required else {})}
        return {**head, "graph": graph, "feed": feed}

    def shown(self) -> list[torch.Tensor]:
        """Every tensor that somebody sees after the run."""
        return [value.tensor for value in [*self._outputs, *self._sources.values()]]

    def input_names(self) -> list[str]:
        """Of the tensors among the inputs, in order."""
        kinds = {spec.arg.name: spec.kind for spec in self._program.graph_signature.input_specs}
        return [value.name or "" for name, value in self._sources.items() if kinds[name] == InputKind.USER_INPUT]

    def _example_inputs(self) -> list[Any]:
        if self._program.example_inputs is None:
            self.notes.say("the program was saved without example inputs: they are drawn")
            fed = drawn_inputs(self._program, self._seed)
        else:
            args, kwargs = self._program.example_inputs
            fed = flat_inputs(self._program, args, kwargs)
        if self._sizes is not None:
            return resized(self._program, fed, self._sizes)
        self.symbols = open_symbols(self._program, fed, self.notes)
        return fed

    def _given(self, node: torch.fx.Node, spec: Any, fed: list[Any]) -> Any:
        """What comes in there: a dense tensor, or a Python value."""
        if spec.kind == InputKind.USER_INPUT:
            if not fed:
                raise RefusedError(f"input {node.name} has no example")
            value = fed.pop(0)
            if isinstance(value, (int, float, str, bool)):
                self.notes.say(f"input {node.name} is fixed at {value!r}: it is no tensor")
            elif value is not None and not isinstance(value, torch.Tensor):
                raise RefusedError(f"input {node.name} is a {type(value).__name__}, not a tensor")
        elif spec.kind in (InputKind.PARAMETER, InputKind.CONSTANT_TENSOR, InputKind.BUFFER):
            value = self._state.get(spec.target)
            if not isinstance(value, torch.Tensor):
                raise RefusedError(f"{spec.target} is not in the file")
        elif spec.kind == InputKind.TOKEN:  # of the order of effects, which is that of the nodes
            value = None
        else:
            raise RefusedError(f"input {node.name} is a {spec.kind.name.lower()}")
        if isinstance(value, torch.Tensor):
            try:
                check_dense(value)
            except RefusedError as error:
                raise RefusedError(f"{spec.target or node.name} is {error}") from None
        return value

    def _declared(self, node: torch.fx.Node, spec: Any, tensor: torch.Tensor) -> Value:
        sections = {InputKind.USER_INPUT: INPUT, InputKind.BUFFER: BUFFER}
        self._sources[node.name] = self._graph.source(sections.get(spec.kind, CONSTANT), node.name, tensor)
        return self._sources[node.name]

    def _results(self, results: Any) -> None:
        """The outputs; what a functional program returns for the caller to write back becomes a copy_."""
        signature = self._program.graph_signature
        names = {spec.target: spec.arg.name for spec in signature.input_specs if spec.target}
        writes = []
        for position, (spec, result) in enumerate(zip(signature.output_specs, results, strict=True)):
            if spec.kind in (OutputKind.USER_OUTPUT, OutputKind.LOSS_OUTPUT):
                self._output(position, result)
            elif spec.kind.name.endswith("_MUTATION"):
                writes.append((self._sources[names.get(spec.target, spec.target)], result))
            elif spec.kind != OutputKind.TOKEN:
                raise RefusedError(f"an output of kind {spec.kind.name.lower()}")
        written = {storage_of(target.tensor) for target, _ in writes}
        for at, value in enumerate(self._outputs):
            if storage_of(value.tensor) in written:  # it was returned as it was before
                name = self._graph.call(f"{value.name}_returned", "aten.clone.default", [f"%{value.name}"], {})
                self._outputs[at] = Value(value.tensor.clone(), name)
        for target, result in writes:
            args = [f"%{target.name}", f"%{self._graph.named(result)}"]
            self._graph.call(f"{target.name}_written", "aten.copy_.default", args, {})
            target.tensor.copy_(result.tensor)
            self._graph.wrote(target.tensor)
        self._graph.outputs = [f"%{self._graph.named(value)}" for value in self._outputs]

    def _output(self, position: int, result: Any) -> None:
        if isinstance(result, Value):
            self._graph.named(result)
            self._outputs.append(result)
        elif result is None or isinstance(result, (int, float, str, bool)):
            self.notes.say(f"output {position} is {result!r}, which is no tensor: it is left out")
        else:
            raise RefusedError(f"output {position} is a {type(result).__name__}")


def may_write(program: torch.export.ExportedProgram) -> bool:
    """Whether a run may write to what it is given: large weights are not copied for one that does not."""
    signature = program.graph_signature
    if any(spec.kind.name.endswith("_MUTATION") for spec in signature.output_specs):
        return True
    graphs = [module for module in program.graph_module.modules() if isinstance(module, torch.fx.GraphModule)]
    calls = [node.target for module in graphs for node in module.graph.nodes if node.op == "call_function"]
    return any(not isinstance(call, torch._ops.OpOverload) or call._schema.is_mutable for call in calls)


def flat_inputs(program: torch.export.ExportedProgram, args: Any, kwargs: Any) -> list[Any]:
    """The leaves of the arguments as the program takes them, in memory that the run may write to."""
    from torch.export._tree_utils import reorder_kwargs

    if kwargs and program.call_spec.in_spec is not None:
        kwargs = reorder_kwargs(kwargs, program.call_spec.in_spec)
    return tree_flatten((tuple(args), kwargs))[0]


def case_of(
    program: torch.export.ExportedProgram, known: set[str], seed: int, sizes: dict[str, int] | None = None
) -> tuple[Json, ProgramCase]:
    """The case, and what made it. Memory without values must not show in what the program gives."""
    made = ProgramCase(program, known, seed, FILL, sizes)
    case = made.write()
    if made.expander.made_empties:
        other = ProgramCase(program, known, seed, OTHER_FILL, sizes)
        other.write()
        pairs = zip(made.shown(), other.shown(), strict=True)
        if not all(torch.equal(torch.nan_to_num(one), torch.nan_to_num(two)) for one, two in pairs):
            raise RefusedError("it gives values of memory that it never wrote to, as torch.empty makes it")
    return case, made


def import_program(
    where: str,
    types: list[str],
    seed: int,
    known: set[str],
    libraries: list[str] = [],  # noqa: B006
) -> Json:
    load_libraries(libraries)
    if types and not where.rpartition(":")[0].endswith(".py"):
        raise RefusedError("--input: the program states the types of its inputs itself")
    path, colon, name = where.rpartition(":")
    python = PythonProgram.of(path, name, types, seed) if colon and path.endswith(".py") else None
    program = python.exported() if python else load_archive(where)
    case, made = case_of(program, known, seed)
    if python:
        python.add_gradients(case, made)
    elif made.symbols:
        case = with_symbols(case, lambda sizes: case_of(program, known, seed, sizes)[0], made.symbols, made.notes.say)
    case["origin"] = {"source": Path(where).name, "notes": made.notes.lines()}
    return case


def main() -> int:
    parser = argparse.ArgumentParser(description="A PyTorch program as a case.")
    parser.add_argument("program", metavar="FILE.pt2 | FILE.py:NAME")
    parser.add_argument("--input", action="append", default=[], metavar="TYPE")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--known", default="", metavar="OP,OP,…")
    parser.add_argument("--library", action="append", default=[], metavar="FILE|MODULE")
    parser.add_argument("--weights", metavar="FOLDER", help="where large constants and buffers go")
    options = parser.parse_args()
    where = options.program
    known = set(options.known.split(",")) - {""}

    def imported() -> Json:
        case = import_program(where, options.input, options.seed, known, options.library)
        return move_weights(case, options.weights)

    return answer_once(where, imported)


if __name__ == "__main__":
    sys.exit(main())
