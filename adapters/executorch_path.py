"""The way of a case through ExecuTorch: export, lower, load, run. Its targets share it; they differ in the partitioner.

What comes back is matched by the export signature. Mutated inputs are extra leading outputs (the caller's tensor
stays as it was); mutated buffers stay inside the program and are not handed back.
"""

from __future__ import annotations

import argparse
import logging
import operator
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import torch
from executorch.exir import (
    EdgeCompileConfig,
    ExecutorchBackendConfig,
    to_edge_transform_and_lower,
)
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer
from torch.export.graph_signature import OutputKind

from audit_pte import audit as audit_pte
from export_speed import OpScan, speed_up
from last_program import remembered
from torch_case import Build, Instance, Program, Ran, case_module, live, run_protocol, torch_hello
from torch_limits import EXPORT_REJECTIONS
from worker import AdapterError, Json, NotRunError, Rejection, Stages, System, UnsupportedError

REJECTIONS = (
    Rejection(
        r"error: 0x14\b",
        "Error::OperatorMissing (runtime/core/error.h): no kernel is linked for the op; core ATen ops have one",
    ),
    Rejection(
        r"Missing out variants: ",
        "ToOutVarPass (exir/passes): an op can be emitted only if it has an out variant",
        stage="lower",
    ),
    Rejection(
        r"Expect input tensor to be 3-D or 4-D",
        "check_convolution_args of the portable kernels: convolutions have one or two spatial dims",
        stage="run",
    ),
    Rejection(
        r"error: 0x10\b",
        "Error::NotSupported (runtime/core/error.h): the runtime itself says that it does not do this",
    ),
    *EXPORT_REJECTIONS,
)

# A line of the runtime's log: "[method.cpp:819] Missing operator: [3] aten::diagonal_scatter.out".
_LOG_LINE = re.compile(r"^\[(\w+\.(?:cpp|h|c)):\d+\] (.+)$", re.MULTILINE)


def explain(message: str, written: str) -> str:
    """The exception's text (often only an error code) and the first line that the runtime logged about it."""
    first = _LOG_LINE.search(written)
    return f"{message.strip()}: {first.group(2)} [{first.group(1)}]" if first else message


def check_layout(inputs: tuple[torch.Tensor, ...]) -> None:
    """The runtime's own rule ("Input 0 … should be contiguous or channels-last"), before the costly part."""
    for i, tensor in enumerate(inputs):
        channels_last = tensor.dim() == 4 and tensor.is_contiguous(memory_format=torch.channels_last)
        if not tensor.is_contiguous() and not channels_last:
            raise UnsupportedError(f"input {i} is neither contiguous nor channels-last")


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


@dataclass(frozen=True)
class Path:
    """What the targets differ in."""

    partitioners: Callable[[], list[Any]]  # fresh ones for each case
    delegates: bool  # whether there are any
    # What runs a lowered case. Without it the case is lowered, and that is all that can be seen.
    run: Callable[[Json, Any, Any, Stages], Callable[[], Instance]] | None


def build_with(path: Path, op_scan: OpScan) -> Build:
    """The builder for run_protocol of a target on this path."""

    def build(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> Program:
        check_layout(inputs)
        op_scan.renew()
        with stages("export"):
            exported = export(graph, inputs)
        with stages("lower"):
            edge = to_edge_transform_and_lower(
                exported, partitioner=path.partitioners(), compile_config=EdgeCompileConfig(_check_ir_validity=False)
            )
            # Without the pass a mutated buffer starts from nothing in particular: its data is not serialized.
            state = [f"buffer_{name}" for name in graph.get("buffers", {})]
            passes = [InitializedMutableBufferPass(state)] if state else []
            program = edge.to_executorch(ExecutorchBackendConfig(passes=passes))
        delegated = count_delegated(program.exported_program().graph_module)
        facts: Json = {"delegated": delegated} if path.delegates else {}
        if path.run is None:
            blob = program.buffer
            raise NotRunError(
                "lowered; nothing here runs the delegate",
                {**facts, "format": "pte"},
                lambda file: file.write_bytes(blob),
                audit_pte,
            )
        before = {
            "export": lambda: unlifted(graph, export(graph, inputs)),
            "decompose": lambda: unlifted(graph, export(graph, inputs).run_decompositions()),
        }
        return Program(path.run(graph, edge, program, stages), facts, before)

    return build


def export(graph: Json, inputs: tuple[torch.Tensor, ...]) -> Any:
    """The exported program of a case."""
    with torch.no_grad():
        return torch.export.export(case_module(graph), inputs, strict=False)


def unlifted(graph: Json, exported: Any) -> Instance:
    """An exported program on eager's kernels."""
    return live(graph, exported.module(), identity=False)()


def run_in_runtime(graph: Json, _: Any, program: Any, stages: Stages) -> Callable[[], Instance]:
    """Instances in the runtime of the wheel."""
    blob = program.buffer
    places = returned(program.exported_program().graph_signature)

    def start() -> Instance:
        with stages("load"):
            loaded = _load_for_executorch_from_buffer(blob)
        return lambda given: observe(graph, places, loaded.run_method("forward", given))

    return start


def observe(graph: Json, places: list[tuple[str, int]], results: Any) -> Ran:
    """The results of a call under the names of the case; what is not among them is unobserved."""
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


def load_partitioner(where: str) -> Callable[[], Any]:
    """The class of "package.module:Class"."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


def make_system(
    name: str,
    arguments: list[str],
    partitioner: str | None = None,
    run: Callable[[Json, Any, Any, Stages], Callable[[], Instance]] | None = run_in_runtime,
    profile: str = "executorch",
) -> System:
    """The system `name`, with a fresh partitioner for each case; --partitioner=MODULE:CLASS names another one."""
    options = argparse.ArgumentParser()
    options.add_argument("--partitioner", default=partitioner)
    where = options.parse_args(arguments).partitioner
    make = load_partitioner(where) if where else None
    op_scan = speed_up()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    # Most of a program's cost is the passes over it. Packed cases would share delegates: no telling what fell back.
    several = {} if make else {"cases_a_program": 8}
    hello = {**torch_hello(name, profile, "executorch"), "strided_sources": False, **several}
    build = remembered(build_with(Path(lambda: [make()] if make else [], make is not None, run), op_scan))
    return System(lambda: hello, lambda request, stages: run_protocol(request, stages, build), REJECTIONS, explain)
