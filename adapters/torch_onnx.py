"""torch-onnx: torch.onnx.export of the case, run by onnxruntime. The exporter is under test with the runtime.

An exported model has no state: the exporter drops what a module writes to its inputs and buffers. So buffers are
exported as inputs, and what eager writes to is returned, as a user would have to write it.

--optimization= is onnxruntime's; --optimize=no leaves the exporter's own optimizer out.
"""

from __future__ import annotations

import argparse
import logging
import warnings

import onnxruntime
import torch

from last_program import remembered
from onnx_writer import OPS
from onnxruntime_cpu import LEVELS, REJECTIONS, session
from tensors import DTYPES
from torch_case import CaseModule, Instance, Program, Ran, Sources, run_protocol
from worker import Json, Rejection, Stages, System, UnsupportedError, serve

EXPORT_REJECTIONS = (
    *REJECTIONS,
    Rejection(
        r"No decompositions registered for|No ONNX function found for",
        "the exporter's own diagnostic: torchlib has no translation of the op for these dtypes",
        stage="export",
    ),
)


def check_layout(graph: Json, inputs: tuple[torch.Tensor, ...]) -> None:
    """A model's inputs are dense and share nothing, so that a view of their storage would mean something else."""
    if graph.get("storages"):
        raise UnsupportedError("inputs that are windows on one storage")
    strided = any("strides" in spec for spec in graph.get("buffers", {}).values())
    if strided or not all(tensor.is_contiguous() for tensor in inputs):
        raise UnsupportedError("an input that is not contiguous")


def without_state(graph: Json, inputs: tuple[torch.Tensor, ...]) -> tuple[Json, list[str]]:
    """The graph with its buffers as inputs and what eager writes to as further outputs, and the names of those."""
    sources = Sources(graph, {})
    buffers = {name: sources.tensor(name, spec) for name, spec in graph.get("buffers", {}).items()}
    stateless = {
        **graph,
        "inputs": {**graph.get("inputs", {}), **graph.get("buffers", {})},
        "buffers": {},
    }
    given = dict(zip(stateless["inputs"], (*inputs, *buffers.values()), strict=True))
    before = {name: tensor._version for name, tensor in given.items()}
    CaseModule(stateless)(*given.values())
    written = [name for name, tensor in given.items() if tensor._version != before[name]]
    return {**stateless, "outputs": [*graph["outputs"], *(f"%{name}" for name in written)]}, written


def cause(error: BaseException) -> BaseException:
    """The exception that began it."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def make(arguments: list[str]) -> System:
    options = argparse.ArgumentParser()
    options.add_argument("--optimization", choices=LEVELS, default="all")
    options.add_argument("--optimize", choices=("yes", "no"), default="yes")
    chosen = options.parse_args(arguments)
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)

    @remembered
    def build(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> Program:
        check_layout(graph, inputs)
        with stages("export"), torch.no_grad():
            stateless, written = without_state(graph, tuple(tensor.clone() for tensor in inputs))
            sources = Sources(graph, {})
            buffers = [sources.tensor(name, spec) for name, spec in graph.get("buffers", {}).items()]
            module = CaseModule(stateless).eval()
            optimize = chosen.optimize == "yes"
            try:
                program = torch.onnx.export(module, (*inputs, *buffers), dynamo=True, verbose=False, optimize=optimize)
            except Exception as error:
                raise cause(error) from None  # the exporter wraps what went wrong in advice
            assert program is not None
            model = program.model_proto.SerializeToString()

        def start() -> Instance:
            with stages("lower"):
                loaded = session(model, chosen.optimization)
            return instance(graph, loaded, written)

        return Program(start)

    def hello() -> Json:
        return {
            "name": "torch-onnx",
            "version": torch.__version__,
            "versions": {"torch": torch.__version__, "onnxruntime": onnxruntime.__version__},
            "dtypes": [name for name in DTYPES if name != "bf16"],
            # The exporter decomposes as it likes and has no list; what ONNX can say at all is what the writer says.
            "ops": list(OPS),
            "profile": "onnxruntime",
        }

    return System(hello, lambda request, stages: run_protocol(request, stages, build), EXPORT_REJECTIONS)


def instance(graph: Json, loaded: onnxruntime.InferenceSession, written: list[str]) -> Instance:
    sources = Sources(graph, {})
    state = {name: sources.tensor(name, spec) for name, spec in graph.get("buffers", {}).items()}
    given_names = [one.name for one in loaded.get_inputs()]

    def run(inputs: tuple[torch.Tensor, ...]) -> Ran:
        current = {**dict(zip(graph.get("inputs", {}), inputs, strict=True)), **state}
        if len(given_names) != len(current):
            raise RuntimeError(f"the model has {len(given_names)} inputs, the program {len(current)}")
        arrays = {name: tensor.contiguous().numpy() for name, tensor in zip(given_names, current.values(), strict=True)}
        results = [torch.from_numpy(array) for array in loaded.run(None, arrays)]
        if len(results) != len(graph["outputs"]) + len(written):
            raise RuntimeError(f"{len(results)} results of {len(graph['outputs'])} outputs and {len(written)} states")
        last = dict(zip(written, results[len(graph["outputs"]) :], strict=True))
        current.update(last)
        state.update((name, value) for name, value in last.items() if name in state)
        handed = {group: {name: current[name] for name in graph.get(group, {})} for group in ("inputs", "buffers")}
        return Ran(results[: len(graph["outputs"])], handed["inputs"], handed["buffers"])

    return run


if __name__ == "__main__":
    serve(make)
