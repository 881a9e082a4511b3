"""The way of a case through ExecuTorch: export, lower, load, run. Its targets share it; they differ in the partitioner.

What comes back is matched by the export signature. Mutated inputs are extra leading outputs (the caller's tensor
stays as it was). Mutated buffers stay inside the program: a further method of it, which changes nothing, returns what
they hold after each call. The methods of a program share its buffers by MemoryPlanningPass's own switch for that.
"""

from __future__ import annotations

import argparse
import logging
import operator
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import executorch.kernels.quantized  # noqa: F401 - registers the out variants of quantized_decomposed
import torch
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.exir.dialects.edge._ops import EdgeOpOverload
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
from executorch.runtime import Runtime
from torch.export.graph_signature import OutputKind

from adapters.audit.pte import audit as audit_pte
from adapters.executorch.custom_kernels import Kernels, can_build
from adapters.executorch.kept_run import files_of, keep_run
from adapters.executorch.lowering_switches import SWITCHES, backend_config
from adapters.torch.case_module import (
    Build,
    Instance,
    Program,
    Ran,
    inputs_of,
    live,
    run_protocol,
    torch_hello,
)
from adapters.torch.custom_ops import register_by
from adapters.torch.dynamic_dims import export_at_all_sizes, what_became_of_symbols
from adapters.torch.export_speed import OpScan, speed_up
from adapters.torch.flat_inputs import densely_fed
from adapters.torch.limits import EXPORT_REJECTIONS
from adapters.worker.case_methods import zero_feed
from adapters.worker.last_program import remembered
from adapters.worker.switches import Settings, declared, parse
from adapters.worker.system import AdapterError, Json, NotRunError, Rejection, Stages, System, UnsupportedError

REJECTIONS = (
    Rejection(
        r"error: 0x:?14\b",
        "Error::OperatorMissing (runtime/core/error.h): no kernel is linked for the op; core ATen ops have one. "
        "Program.load_method writes it as 0x:14.",
    ),
    Rejection(
        r"Missing out variants: ",
        "ToOutVarPass (exir/passes): an op can be emitted only if it has an out variant",
        stage="lower",
    ),
    Rejection(
        r"Unsupported control flow operator: \w+|Emitting map with more than one mapped args is not supported",
        "exir/emit/_emitter.py lists the control flow that it emits, and names what it does not",
        stage="lower",
    ),
    Rejection(
        r"0 in strides is not supported for ExecuTorch",
        "exir/tensor.py: an expanded tensor has no dim order",
        stage="lower",
    ),
    Rejection(
        r"Expect input tensor to be 3-D or 4-D",
        "check_convolution_args of the portable kernels: convolutions have one or two spatial dims",
        stage="run",
    ),
    Rejection(
        r"Padding values must be non-negative, but got pad\[\d+\]",
        "constant_pad_nd of the portable kernels (kernels/portable/cpu/util/kernel_ops_util.cpp) says so by name",
        stage="run",
    ),
    Rejection(
        r"Expected dtype int64 for index; index\.scalar_type\(\) = ",
        "kernels/portable/cpu/util/index_util.cpp: gather and scatter take an index of i64, and name what they got",
        stage="run",
    ),
    Rejection(
        r"\[op_log_softmax\.cpp:\d+\] Check failed \(false\)",
        "kernels/optimized/cpu/op_log_softmax.cpp: its dtypes, f64 not among them (a TODO says so)",
        stage="run",
    ),
    Rejection(
        r"\[op_pow\.cpp:\d+\] Check failed .*common_type != ScalarType::Bool",
        "op_pow.cpp of the portable kernels: no power of booleans",
        stage="run",
    ),
    Rejection(
        r"error: 0x10\b(?!: Attempted to resize a static tensor)",
        "Error::NotSupported (runtime/core/error.h): the runtime itself says that it does not do this. Not sizes that "
        "its own delegate took in a wrong order.",
    ),
    *EXPORT_REJECTIONS,
)

# A line of the runtime's log: "[method.cpp:819] Missing operator: [3] aten::diagonal_scatter.out".
# What it says of the processor, of scratch memory and of the library that a delegate loads, it says whatever happens.
_LOG_LINE = re.compile(
    r"^\[(?!cpuinfo|kernel_runtime_context)(\w+\.(?:cpp|h|c)):\d+\] (?!OpenVINO: runtime loaded )(.+)$", re.MULTILINE
)


# How the runtime's Program begins what its Module says as "Failed to execute method forward, error: 0x12".
_PROGRAM_FAILED = re.compile(r"^method->execute\(\) failed with error")

# "add.Tensor" or "aten.add.Tensor".
_OVERLOAD = re.compile(r"(?:aten\.)?(\w+)\.(\w+)")


def explain(message: str, written: str) -> str:
    """The exception's text (often only an error code) and the first line that the runtime logged about it."""
    first = _LOG_LINE.search(written)
    return f"{message.strip()}: {first.group(2)} [{first.group(1)}]" if first else message


def is_taken(sizes: Sequence[int], strides: Sequence[int]) -> bool:
    """The runtime's own rule ("Input 0 … should be contiguous or channels-last")."""
    tensor = torch.empty_strided(sizes, strides, device="meta")
    return tensor.is_contiguous() or (len(sizes) == 4 and tensor.is_contiguous(memory_format=torch.channels_last))


def returned(signature: Any) -> list[tuple[str, int]]:
    """For each tensor that a call returns: ("input", i) for a mutated input, ("output", i) for the graph's own."""
    places: list[tuple[str, int]] = []
    outputs = 0
    for spec in signature.output_specs:
        if spec.kind == OutputKind.BUFFER_MUTATION:
            continue  # written back inside the program, not returned
        if spec.kind == OutputKind.USER_INPUT_MUTATION:
            places.append(("input", list(signature.user_inputs).index(spec.target)))
        elif spec.kind == OutputKind.USER_OUTPUT:
            places.append(("output", outputs))
            outputs += 1
        else:
            raise AdapterError(f"an output of kind {spec.kind.name}")
    return places


# The method that a case's own graph is.
FORWARD = "forward"
# One that shows the buffers, beside those of the case.
SHOWN = "parallax_buffers"

# Given the graphs of the methods by name.
RunProgram = Callable[[dict[str, Json], Any, Stages, Settings], Callable[[], Instance]]
RunEdge = Callable[[Json, Any], Callable[[], Instance]]
# What lowers an exported program without a partitioner: the edge program, and what the reply says of it.
LowerBy = Callable[[Any], tuple[Any, Json]]


@dataclass(frozen=True)
class Way:
    """What the targets differ in."""

    partitioners: Callable[[], list[Any]]  # fresh ones for each case
    delegates: bool  # whether there are any
    # What runs an emitted program. Without it the case is lowered, and that is all that can be seen.
    run: RunProgram | None
    # What runs the lowered program as it is before that, of which no program is emitted then.
    run_edge: RunEdge | None = None
    lower_by: LowerBy | None = None

    def lowered(self, exported: dict[str, Any]) -> tuple[Any, Json]:
        if self.lower_by is not None:
            return self.lower_by(exported[FORWARD])
        edge = lower(exported, self)
        return edge, {"delegated": count_delegated(edge.exported_program().graph_module)} if self.run_edge else {}


def build_with(way: Way, op_scan: OpScan, settings: Settings) -> Build:
    """The builder for run_protocol of a target on this path."""

    def build(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> Program:
        op_scan.renew()
        before = {
            "export": lambda: unlifted(graph, export(graph, inputs)),
            "decompose": lambda: unlifted(graph, export(graph, inputs).run_decompositions()),
        }
        methods = graph.get("methods", {})
        graphs = {FORWARD: graph, **methods}
        given = {FORWARD: inputs, **{name: inputs_of(one, zero_feed(one)) for name, one in methods.items()}}
        refuse_strided(given)
        with stages("export"):
            exported = {name: export(one, given[name]) for name, one in graphs.items()}
            in_process = way.run_edge is None and way.run is run_in_runtime
            if in_process and graph.get("buffers") and settings["state"] == "shown":
                graphs[SHOWN] = reading(graph)
                exported[SHOWN] = export(graphs[SHOWN], ())
        with stages("lower"):
            edge, told = way.lowered(exported)
            if way.run_edge is not None:
                return Program(way.run_edge(graph, edge), told, before)
            # Without the pass a mutated buffer starts from nothing in particular: its data is not serialized.
            state = [f"buffer_{name}" for name in graph.get("buffers", {})]
            passes = [InitializedMutableBufferPass(state)] if state else []
            # Planned at the bound: without the pass it is for the sizes of the inputs that it was traced with.
            planned = {"sym_shape_eval_pass": ConstraintBasedSymShapeEvalPass()} if "symbols" in graph else {}
            program = edge.to_executorch(backend_config(passes, settings, share_state=len(graphs) > 1, **planned))
        counts = [count_delegated(program.exported_program(name).graph_module) for name in graphs if name != SHOWN]
        facts: Json = {"delegated": sum(counts)} if way.delegates else {}
        facts |= what_became_of_symbols(graph, exported[FORWARD])
        blob = program.buffer
        if way.run is None:
            raise NotRunError(
                "lowered; nothing here runs the delegate",
                {**facts, "format": "pte"},
                lambda file: file.write_bytes(blob),
                audit_pte,
            )

        def keep(folder: Path, given: tuple[torch.Tensor, ...]) -> None:
            keep_run(folder, graph, given, files_of(blob, given))

        start = way.run(graphs, program, stages, settings)
        return Program(start, facts, {} if methods else before, None if methods else keep)

    return build


def refuse_strided(given: dict[str, tuple[torch.Tensor, ...]]) -> None:
    """UnsupportedError where an input of a method has a layout that the runtime does not take."""
    for name, tensors in given.items():
        if not all(is_taken(tensor.shape, tensor.stride()) for tensor in tensors):
            raise UnsupportedError(f"an input of method {name} that is neither contiguous nor channels-last")


def lower(exported: dict[str, Any], way: Way) -> Any:
    """The edge program of exported ones by the names of their methods. No delegate reads the buffers."""
    partitioner = {name: [] if name == SHOWN else way.partitioners() for name in exported}
    return to_edge_transform_and_lower(
        exported, partitioner=partitioner, compile_config=EdgeCompileConfig(_check_ir_validity=False)
    )


def export(graph: Json, inputs: tuple[torch.Tensor, ...]) -> Any:
    """The exported program of a case."""
    with torch.no_grad():
        return export_at_all_sizes(graph, inputs)


def unlifted(graph: Json, exported: Any) -> Instance:
    """An exported program on eager's kernels."""
    return live(graph, exported.module(), identity=False)()


def run_in_runtime(graphs: dict[str, Json], program: Any, stages: Stages, settings: Settings) -> Callable[[], Instance]:
    """Instances in the runtime of the wheel.

    A program of several methods runs in its Program, whose methods have one set of arenas. The Module, which runs one
    of a single method, gives each method arenas of its own, whatever was asked of the lowering.
    """
    blob = program.buffer
    places = {name: returned(program.exported_program(name).graph_signature) for name in graphs}

    def start_module() -> Instance:
        with stages("load"):
            loaded = _load_for_executorch_from_buffer(blob)

        def run(given: tuple[torch.Tensor, ...], _kept: bytes = blob) -> Ran:  # what is loaded does not keep it
            return observe(graphs[FORWARD], places[FORWARD], loaded.run_method(FORWARD, given))

        return run

    def start_program() -> Instance:
        late = settings["methods"] == "loaded_late"
        with stages("load"):
            loaded = Runtime.get().load_program(blob)
            # Before the first call: a method that is loaded after one writes the first data of the buffers again.
            for name in graphs:
                if name == SHOWN or not late:
                    loaded.load_method(name)

        def run(given: tuple[torch.Tensor, ...], method: str = FORWARD, _kept: bytes = blob) -> Ran:
            called = loaded.load_method(method)  # the one that is there, where it is loaded
            try:
                results = called.execute(given)
            except RuntimeError as error:  # in the Module's words: one failure has one signature
                raise RuntimeError(
                    _PROGRAM_FAILED.sub(f"Failed to execute method {method}, error:", str(error))
                ) from None
            ran = observe(graphs[method], places[method], results)
            if SHOWN not in graphs:
                return ran
            shown = loaded.load_method(SHOWN).execute(())
            return replace(ran, buffers=dict(zip(graphs[SHOWN]["buffers"], shown, strict=True)))

        return run

    return start_program if len(graphs) > 1 else start_module


def observe(graph: Json, places: list[tuple[str, int]], results: Any) -> Ran:
    """The results of a call under the names of the case; inputs and buffers that are not among them are unobserved."""
    results = list(results)
    if len(results) != len(places):  # the program against its own signature: what is under test contradicts itself
        raise RuntimeError(f"{len(results)} results where the program's signature has {len(places)}")
    names = list(graph.get("inputs", {}))
    ran = Ran([], dict.fromkeys(names), dict.fromkeys(graph.get("buffers", {})))
    for (kind, index), result in zip(places, results, strict=True):
        if kind == "input":
            ran.inputs[names[index]] = result
        else:
            ran.outputs.append(result)
    return ran


def count_delegated(module: torch.fx.GraphModule) -> int:
    """How many calls of the edge graph run inside delegates."""
    count = 0
    for node in module.graph.nodes:
        if node.op == "call_function" and "executorch_call_delegate" in str(node.target):
            inner = getattr(module, node.args[0].target).original_module.graph
            count += sum(n.op == "call_function" and n.target is not operator.getitem for n in inner.nodes)
    return count


def delegates_of(listed: Iterable[Any], dtypes: Sequence[str]) -> Json:
    """A greeting's `delegates`, of the ops that a partitioner lists: edge ops, or names as "add.Tensor". These are
    functional, as a program is once it is exported: add.Tensor is also what add_.Tensor has become, and permute_copy
    what permute has."""
    ops = set()
    for op in listed:
        found = _OVERLOAD.fullmatch(str(op._op if isinstance(op, EdgeOpOverload) else op))
        if not found:  # of another namespace, or Python's own
            continue
        name, overload = found.groups()
        forms = {name, f"{name}_", name.removesuffix("_copy")}
        ops.update(f"aten.{form}.{overload}" for form in forms)
    return {"ops": sorted(ops), "dtypes": list(dtypes)}


def load_partitioner(where: str) -> Callable[[], Any]:
    """The class of "package.module:Class"."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


def reading(graph: Json) -> Json:
    """A graph that returns a copy of each buffer of this one."""
    copies = {name: f"{name}_shown" for name in graph["buffers"]}
    # In rows: a clone that keeps the layout of a buffer is refused for layouts that have no name.
    rows = {"memory_format": "contiguous_format"}
    nodes = [
        {"out": out, "op": "aten.clone.default", "args": [f"%{name}"], "kwargs": rows} for name, out in copies.items()
    ]
    shared = {name: graph[name] for name in ("buffers", "storages") if name in graph}
    return {**shared, "inputs": {}, "nodes": nodes, "outputs": [f"%{out}" for out in copies.values()]}


def make_system(
    name: str,
    arguments: list[str],
    partitioner: str | None = None,
    run: RunProgram | None = run_in_runtime,
    run_edge: RunEdge | None = None,
    lower_by: LowerBy | None = None,
    delegates: Json | None = None,
    profile: str = "executorch-delegated",
    rejections: tuple[Rejection, ...] = (),
    dtypes: tuple[str, ...] = (),
) -> System:
    """The system `name`, with a fresh partitioner for each case; --partitioner=MODULE:CLASS names another one.

    What the partitioner takes is `delegates` (delegates_of), what it says that it does not take `rejections`, and its
    arithmetic that of `profile`; those of another one are not known. What lowers without a partitioner is `lower_by`.
    `dtypes` are those that cases may have, where it is not all.
    """
    options = argparse.ArgumentParser()
    options.add_argument("--partitioner", default=partitioner)
    chosen, rest = options.parse_known_args(arguments)
    where = chosen.partitioner
    switches = SWITCHES if run_edge is None else ()  # what runs the edge program has no such step
    settings = parse(rest, switches)
    make = load_partitioner(where) if where else None
    op_scan = speed_up()
    # Releases before 0.7 look for the compiler of their schemas on the path, and the wheel puts it beside Python.
    flatc = Path(sys.executable).with_name("flatc")
    if flatc.exists():
        os.environ.setdefault("FLATC_EXECUTABLE", str(flatc))
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    # Most of a program's cost is the passes over it. Packed cases would share delegates: no telling what fell back.
    more: Json = {
        "artifacts": run_edge is None,
        "several_runs": run is run_in_runtime,
        "instances": run is run_in_runtime,
        "methods": run is run_in_runtime,
        # exir/emit/_emitter.py emits no while_loop.
        "subgraphs": ["cond", "scan", "map"] if run is run_in_runtime else False,
        "writing_subgraphs": False,
        "custom_ops": run is run_in_runtime and can_build(),
        "switches": declared(switches),
    }
    if not make and not lower_by:
        more["cases_a_program"] = 8
    elif delegates and where == partitioner:
        more["delegates"] = delegates
    own = "executorch" if not make else profile if where == partitioner else "executorch-delegated"
    if lower_by:
        own = profile
    if dtypes:
        more["dtypes"] = list(dtypes)
    hello = {**torch_hello(name, own, "executorch", promises_identity=False), **more}
    way = Way(lambda: [make()] if make else [], make is not None, run, run_edge, lower_by)
    build = build_with(way, op_scan, settings)
    build_dense = remembered(densely_fed(build, is_taken))
    build_methods = remembered(build)
    taken = ("instances", "methods") if run is run_in_runtime else ()
    if more["custom_ops"]:
        register_by(Kernels(settings.get("llm_operations") == "own"))
        taken = (*taken, "custom")

    def run_case(request: Json, stages: Stages) -> Json:
        has_methods = "methods" in request["case"].get("requires", [])
        return run_protocol(request, stages, build_methods if has_methods else build_dense, taken)

    return System(lambda: hello, run_case, (*rejections, *REJECTIONS), explain)
