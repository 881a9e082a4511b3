"""A saved torch.export program (FILE.pt2), or a module of a Python file (bug.py:Bug), as a case on standard output.

    python3 adapters importing.exported_program FILE.pt2
    python3 adapters importing.exported_program bug.py:Bug [--input TYPE]… [--seed N]
    python3 adapters importing.exported_program … --known OP,OP,…

One line of JSON; what cannot be expressed is one line on standard error and exit code 2. A module's inputs are those of
`example_inputs` (a tuple, or a function that returns one) in the class or the file; without them --input names each
one's type ("f32[2,3]") and they are drawn. With --known, a composite op that is not among them stands as the calls that
PyTorch makes of it; writes and views around it stay as they are, which a decomposition of the whole program would undo.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import operator
import re
import sys
from pathlib import Path
from typing import Any

import torch
from torch.export.graph_signature import InputKind, OutputKind
from torch.fx.experimental.proxy_tensor import make_fx
from torch.utils._pytree import tree_leaves, tree_map

from adapters.torch.tensors import NAMES, decode, encode, parse_type
from adapters.worker.case_text import contiguous_strides
from adapters.worker.one_answer import RefusedError, answer_once

Json = dict[str, Any]

# Arguments that say where a tensor lies: a case never has them.
PLACES = ("device", "layout", "pin_memory")
MEMORY_FORMATS = {
    torch.contiguous_format: "contiguous_format",
    torch.preserve_format: "preserve_format",
    torch.channels_last: "channels_last",
    torch.channels_last_3d: "channels_last_3d",
}


def entry(tensor: torch.Tensor, with_data: bool) -> Json:
    """The declaration of a source; strides where they are not row-major."""
    if tensor.dtype not in NAMES:
        raise RefusedError(f"a tensor of {tensor.dtype}")
    encoded = encode(tensor)
    if not with_data:
        del encoded["data"]
    if list(tensor.stride()) != contiguous_strides(tensor.shape) and tensor.numel() > 1:
        encoded["strides"] = list(tensor.stride())
    return encoded


def name_of(overload: torch._ops.OpOverload) -> str:
    return f"{overload.namespace}.{overload._opname}.{overload._overloadname}"


def inline_composites(program: torch.export.ExportedProgram, known: set[str]) -> None:
    """Puts the calls that PyTorch makes of a composite op in the place of each that is not known."""
    graph = program.graph_module.graph
    for node in list(graph.nodes):
        overload = node.target
        if not isinstance(overload, torch._ops.OpOverload) or name_of(overload) in known:
            continue
        if overload._can_decompose():
            inline_call(graph, node)


def inline_call(graph: torch.fx.Graph, node: torch.fx.Node) -> None:
    operands = [value for value in tree_leaves((node.args, node.kwargs)) if isinstance(value, torch.fx.Node)]
    examples = [operand.meta["val"] for operand in operands]

    def call(*tensors: torch.Tensor) -> Any:
        given = dict(zip(operands, tensors, strict=True))
        args, kwargs = tree_map(lambda leaf: given[leaf] if isinstance(leaf, torch.fx.Node) else leaf, node_call)
        return node.target.decompose(*args, **kwargs)

    node_call = (node.args, dict(node.kwargs))
    traced = make_fx(call)(*examples).graph
    placed: dict[torch.fx.Node, torch.fx.Node] = {}
    inputs = iter(operands)
    with graph.inserting_before(node):
        for inner in traced.nodes:
            if inner.op == "placeholder":
                placed[inner] = next(inputs)
            elif inner.op != "output" and (inner.users or inner.target is not operator.getitem):
                placed[inner] = graph.node_copy(inner, placed.__getitem__)
    made = tree_map(lambda leaf: placed[leaf], traced.output_node().args[0])
    if isinstance(made, torch.fx.Node):
        node.replace_all_uses_with(made)
    else:
        for user in list(node.users):
            user.replace_all_uses_with(made[user.args[1]])
            graph.erase_node(user)
    graph.erase_node(node)


class CaseWriter:
    """The graph of an exported program under the names of a case."""

    def __init__(self, program: torch.export.ExportedProgram) -> None:
        self._program = program
        self._names: dict[str, str] = {}  # by the node's name
        self._taken: set[str] = set()
        self._specs = {spec.arg.name: spec for spec in program.graph_signature.input_specs}
        self._state = {**program.state_dict, **program.constants}
        self.graph: Json = {"inputs": {}, "constants": {}, "buffers": {}, "nodes": [], "outputs": []}
        self.feed: Json = {}

    def write(self) -> Json:
        inputs = self._program.example_inputs
        if inputs is None:
            raise RefusedError("the program was saved without example inputs")
        positional, keywords = inputs
        if keywords:
            raise RefusedError(f"keyword inputs ({', '.join(keywords)})")
        self._fed = list(tree_leaves(positional))
        for node in self._program.graph.nodes:
            self._node(node)
        self._write_back()
        for section in ("constants", "buffers"):
            if not self.graph[section]:
                del self.graph[section]
        return {"parallax": 1, "name": "imported", "graph": self.graph, "feed": self.feed}

    def _name(self, node: torch.fx.Node) -> str:
        if node.name not in self._names:
            stem = re.sub(r"[^A-Za-z0-9_]", "_", node.name)
            name = stem if re.match(r"[A-Za-z_]", stem) else f"v_{stem}"
            while name in self._taken:
                name += "_"
            self._names[node.name] = name
            self._taken.add(name)
        return self._names[node.name]

    def _node(self, node: torch.fx.Node) -> None:
        if node.op == "placeholder":
            self._source(node)
        elif node.op == "call_function":
            self._call(node)
        elif node.op == "get_attr":
            value = getattr(self._program.graph_module, str(node.target), None)
            if not isinstance(value, torch.Tensor):
                raise RefusedError(f"node {node.name}: a submodule, as control flow has it")
            self.graph["constants"][self._name(node)] = entry(value, with_data=True)

    def _source(self, node: torch.fx.Node) -> None:
        spec = self._specs[node.name]
        name = self._name(node)
        if spec.kind == InputKind.USER_INPUT:
            value = self._fed.pop(0) if self._fed else None
            if not isinstance(value, torch.Tensor):
                raise RefusedError(f"input {node.name} is a {type(value).__name__}, not a tensor")
            self.graph["inputs"][name] = entry(value, with_data=False)
            self.feed[name] = encode(value)["data"]
        elif spec.kind in (InputKind.PARAMETER, InputKind.CONSTANT_TENSOR, InputKind.BUFFER):
            section = "buffers" if spec.kind == InputKind.BUFFER else "constants"
            self.graph[section][name] = entry(self._state[spec.target], with_data=True)
        else:
            raise RefusedError(f"input {node.name} is a {spec.kind.name.lower()}")

    def _call(self, node: torch.fx.Node) -> None:
        if node.target is torch.ops.aten._assert_tensor_metadata.default:
            return  # what export notes of a cast's operand; it computes nothing
        if node.target is operator.getitem:
            source, index = node.args
            self._append(node, "getitem", [self._argument(node, source), index], {})
            return
        if not isinstance(node.target, torch._ops.OpOverload):
            raise RefusedError(f"node {node.name}: {node.target} is no ATen overload")
        overload = node.target
        args = [self._argument(node, argument) for argument in node.args]
        kwargs = {key: self._argument(node, value) for key, value in node.kwargs.items() if key not in PLACES}
        self._append(node, name_of(overload), args, kwargs)

    def _append(self, node: torch.fx.Node, op: str, args: list[Any], kwargs: Json) -> None:
        record: Json = {"out": self._name(node), "op": op, "args": args}
        self.graph["nodes"].append({**record, "kwargs": kwargs} if kwargs else record)

    def _argument(self, node: torch.fx.Node, argument: Any) -> Any:
        if isinstance(argument, torch.fx.Node):
            if not isinstance(argument.meta.get("val"), (torch.Tensor, tuple, list)):
                raise RefusedError(f"node {node.name}: {argument.name} is a size that depends on data or shape")
            return f"%{self._name(argument)}"
        if isinstance(argument, (list, tuple)):
            return [self._argument(node, element) for element in argument]
        if isinstance(argument, torch.dtype):
            if argument not in NAMES:
                raise RefusedError(f"node {node.name}: {argument}")
            return NAMES[argument]
        if isinstance(argument, torch.memory_format):
            return MEMORY_FORMATS[argument]
        if isinstance(argument, float) and not math.isfinite(argument):
            return "nan" if math.isnan(argument) else "inf" if argument > 0 else "-inf"
        if argument is None or isinstance(argument, (bool, int, float, str)):
            return argument
        raise RefusedError(f"node {node.name}: an argument of type {type(argument).__name__}")

    def _write_back(self) -> None:
        """The outputs; what a functional program returns for the caller to write back becomes a copy_."""
        output = self._program.graph.output_node()
        targets = {spec.target: name for name, spec in self._specs.items() if spec.target}
        for spec, node in zip(self._program.graph_signature.output_specs, output.args[0], strict=True):
            if spec.kind == OutputKind.USER_OUTPUT:
                if not isinstance(node, torch.fx.Node):
                    raise RefusedError(f"the program returns {node!r}, which is no tensor")
                self.graph["outputs"].append(f"%{self._name(node)}")
            elif spec.kind in (OutputKind.BUFFER_MUTATION, OutputKind.USER_INPUT_MUTATION):
                written = self._names[targets.get(spec.target, spec.target)]
                call = {"out": f"{written}_written", "op": "aten.copy_.default"}
                args = [f"%{written}", f"%{self._name(node)}"]
                self.graph["nodes"].append({**call, "args": args})
            else:
                raise RefusedError(f"an output of kind {spec.kind.name.lower()}")


def load_module(path: str, name: str, types: list[str], seed: int) -> torch.export.ExportedProgram:
    """The program that the class exports to, with the inputs that the file gives."""
    file = Path(path)
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if spec is None or spec.loader is None or not file.exists():
        raise RefusedError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(file.parent))
    spec.loader.exec_module(module)
    made = getattr(module, name, None)
    if made is None:
        raise RefusedError(f"{path} has no {name}")
    if types:
        inputs = tuple(drawn(text, seed + i) for i, text in enumerate(types))
    else:
        inputs = getattr(made, "example_inputs", getattr(module, "example_inputs", None))
        if inputs is None:
            raise RefusedError(f"{path} gives no example_inputs for {name}; name their types with --input")
        inputs = inputs() if callable(inputs) else inputs
    instance = made() if isinstance(made, type) else made
    with torch.no_grad():
        return torch.export.export(instance.eval(), tuple(inputs), strict=False)


def drawn(text: str, seed: int) -> torch.Tensor:
    """An input of that type: floats in [-2, 2), small integers, bools."""
    try:
        dtype, sizes = parse_type(text)
    except (KeyError, ValueError):
        raise RefusedError(f"--input {text}: no type; one is written f32[2,3]") from None
    low, high = (-2, 2) if dtype.is_floating_point else (0, 2) if dtype == torch.bool else (0, 5)
    return decode({"random": {"seed": seed, "low": low, "high": high}}, dtype, sizes)


def import_program(where: str, types: list[str], seed: int, known: set[str]) -> Json:
    path, colon, name = where.rpartition(":")
    if colon and path.endswith(".py"):
        program = load_module(path, name, types, seed)
    elif not Path(where).exists():
        raise RefusedError(f"{where} does not exist")
    else:
        program = torch.export.load(where)
    if known:
        inline_composites(program, known)
    return CaseWriter(program).write()


def main() -> int:
    parser = argparse.ArgumentParser(description="A PyTorch program as a case.")
    parser.add_argument("program", metavar="FILE.pt2 | FILE.py:NAME")
    parser.add_argument("--input", action="append", default=[], metavar="TYPE")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--known", default="", metavar="OP,OP,…")
    options = parser.parse_args()
    where = options.program
    known = set(options.known.split(",")) - {""}
    return answer_once(where, lambda: import_program(where, options.input, options.seed, known))


if __name__ == "__main__":
    sys.exit(main())
