"""torch-onnx: torch.onnx.export of the case, run by onnxruntime. The exporter is under test with the runtime.

An exported model has no state: the exporter drops what a module writes to its inputs and buffers. So buffers are
exported as inputs, and what eager writes to is returned, as a user would have to write it. A model's inputs are dense:
what is strided, or shares memory, is fed as its storage (flat_inputs.py).

?optimize=no leaves the exporter's own optimizer out; the other switches are onnxruntime's.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

import onnxruntime
import torch
from torch.onnx._internal.exporter import _decomp, _registration

from adapters.onnx.runtimes.onnxruntime import REJECTIONS, session
from adapters.onnx.runtimes.onnxruntime import SWITCHES as RUNTIME_SWITCHES
from adapters.onnx.writer import OPS
from adapters.torch.case_module import Instance, Program, Ran, Sources, case_module, run_protocol
from adapters.torch.flat_inputs import Place, flattened, places_after, sources
from adapters.torch.limits import FUNCTIONALIZATION_REJECTIONS
from adapters.torch.tensors import DTYPES
from adapters.worker.last_program import remembered
from adapters.worker.loop import serve
from adapters.worker.switches import Switch, declared, parse
from adapters.worker.system import Json, Rejection, Stages, System, UnsupportedError

EXPORT_REJECTIONS = (
    *REJECTIONS,
    *FUNCTIONALIZATION_REJECTIONS,
    Rejection(
        r"No decompositions registered for|No ONNX function found for",
        "the exporter's own diagnostic: torchlib has no translation of the op for these dtypes",
        stage="export",
    ),
)

SWITCHES = (Switch("optimize", ("yes", "no")), *RUNTIME_SWITCHES)


@dataclass(frozen=True)
class Written:
    """What a case does to its inputs and buffers, as eager has it."""

    stateless: Json  # the flattened graph, with what is written as further outputs
    sources: list[str]  # what these are
    final: dict[str, Place]  # where each input and buffer lies afterwards: squeeze_ changes it


def state_of(graph: Json) -> dict[str, torch.Tensor]:
    """Its buffers, with their first data."""
    state = Sources(graph, {})
    return {name: state.tensor(name, spec) for name, spec in graph.get("buffers", {}).items()}


def written_by(graph: Json, tensors: dict[str, torch.Tensor]) -> Written:
    """Runs the case in eager, which writes to these inputs and buffers."""
    stateless = flattened(graph)
    fed = sources(graph, tensors)
    before = {name: tensor._version for name, tensor in fed.items()}
    final = places_after(stateless, list(fed.values()), list(tensors))
    changed = [name for name, tensor in fed.items() if tensor._version != before[name]]
    outputs = [*graph["outputs"], *(f"%{name}" for name in changed)]
    return Written({**stateless, "outputs": outputs}, changed, final)


def refuse_empty_means(program: torch.onnx.ONNXProgram) -> None:
    """ONNX's ReduceMean of no elements is undefined, as its documentation says; PyTorch's is NaN."""
    for node in program.model.graph:
        if node.op_type != "ReduceMean":
            continue
        reduced, made = node.inputs[0].shape or (), node.outputs[0].shape
        if 0 in reduced and made is not None and 0 not in made:
            raise UnsupportedError("ONNX leaves open what the mean of no elements is")


def exportable(ops: Iterable[str]) -> list[str]:
    """Those that torchlib has a function for, or that decompose in one step at least: what comes of that, nobody can
    say before it is tried. In-place ops are functional by then, and not all under the same overload's name."""
    registry = _registration.ONNXRegistry.from_torchlib()
    table = _decomp.create_onnx_friendly_decomposition_table(set(_decomp.get_onnx_implemented_overloads(registry)))
    dispatched = set(torch._C._dispatch_get_all_op_names())

    def is_exportable(op: str) -> bool:
        _, name, variant = op.split(".")
        packet = getattr(torch.ops.aten, name.removesuffix("_"), None)
        if packet is None or variant not in packet.overloads():
            return True
        one = getattr(packet, variant)
        if one.name() not in dispatched:  # TorchScript's alone
            return True
        composite = one.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd)
        return composite or one in table or registry.is_registered(one)

    return [op for op in ops if op == "getitem" or is_exportable(op)]


def cause(error: BaseException) -> BaseException:
    """The exception that began it."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def make(arguments: list[str]) -> System:
    settings = parse(arguments, SWITCHES)
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)

    @remembered
    def build(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> Program:
        with stages("export"), torch.no_grad():
            names = list(graph.get("inputs", {}))
            example = {**dict(zip(names, inputs, strict=True)), **state_of(graph)}
            fed = tuple(tensor.clone() for tensor in sources(graph, example).values())
            written = written_by(graph, example)
            module = case_module(written.stateless).eval()
            optimize = settings["optimize"] == "yes"
            try:
                program = torch.onnx.export(module, fed, dynamo=True, verbose=False, optimize=optimize)
            except Exception as error:
                raise cause(error) from None  # the exporter wraps what went wrong in advice
            assert program is not None
            refuse_empty_means(program)
            model = program.model_proto.SerializeToString()

        def start() -> Instance:
            with stages("lower"):
                loaded = session(model, settings)
            return instance(graph, loaded, written)

        return Program(start)

    def hello() -> Json:
        return {
            "name": "torch-onnx",
            "version": torch.__version__,
            "versions": {"torch": torch.__version__, "onnxruntime": onnxruntime.__version__},
            "dtypes": [name for name in DTYPES if name != "bf16"],
            # What ONNX can say at all is what the writer says, and the exporter must have a way for it.
            "ops": exportable(OPS),
            "profile": "torch-onnx",
            "switches": declared(SWITCHES),
        }

    return System(hello, lambda request, stages: run_protocol(request, stages, build), EXPORT_REJECTIONS)


def instance(graph: Json, loaded: onnxruntime.InferenceSession, written: Written) -> Instance:
    state = state_of(graph)
    given_names = [one.name for one in loaded.get_inputs()]

    def run(inputs: tuple[torch.Tensor, ...]) -> Ran:
        tensors = {**dict(zip(graph.get("inputs", {}), inputs, strict=True)), **state}
        fed = sources(graph, tensors)
        if len(given_names) != len(fed):
            raise RuntimeError(f"the model has {len(given_names)} inputs, the program {len(fed)}")
        arrays = {name: tensor.numpy() for name, tensor in zip(given_names, fed.values(), strict=True)}
        results = [torch.from_numpy(array) for array in loaded.run(None, arrays)]
        count = len(graph["outputs"])
        if len(results) != count + len(written.sources):
            raise RuntimeError(f"{len(results)} results of {count} outputs and {len(written.sources)} states")
        last = dict(zip(written.sources, results[count:], strict=True))
        for source, value in last.items():
            if source not in tensors:
                fed[source].copy_(value)
        state.update((name, value) for name, value in last.items() if name in state)
        after = {name: last.get(name, tensor.as_strided(*written.final[name])) for name, tensor in tensors.items()}
        handed = {group: {name: after[name] for name in graph.get(group, {})} for group in ("inputs", "buffers")}
        return Ran(results[:count], handed["inputs"], handed["buffers"])

    return run


if __name__ == "__main__":
    serve(make)
