"""torch-onnx: torch.onnx.export of the case, run by onnxruntime. The exporter is under test with the runtime.

An exported model has no state: the exporter drops what a module writes to its inputs and buffers. So it gets a
program without state (stateless.py).

?optimize=no leaves the exporter's own optimizer out; the other switches are onnxruntime's.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping

import onnxruntime
import torch
from torch.onnx._internal.exporter import _decomp, _registration

from adapters.onnx.runtimes.onnxruntime import REJECTIONS, session
from adapters.onnx.runtimes.onnxruntime import SWITCHES as RUNTIME_SWITCHES
from adapters.onnx.writer import OPS
from adapters.torch.case_module import Instance, Program, case_module, quiet_single_thread, run_protocol
from adapters.torch.export_speed import speed_up
from adapters.torch.limits import FUNCTIONALIZATION_REJECTIONS
from adapters.torch.reachable_ops import reachable
from adapters.torch.stateless import Call, instance_of, without_state
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


def refuse_empty_means(program: torch.onnx.ONNXProgram) -> None:
    """ONNX's ReduceMean of no elements is undefined, as its documentation says; PyTorch's is NaN."""
    for node in program.model.graph:
        if node.op_type != "ReduceMean":
            continue
        reduced, made = node.inputs[0].shape or (), node.outputs[0].shape
        if 0 in reduced and made is not None and 0 not in made:
            raise UnsupportedError("ONNX leaves open what the mean of no elements is")


def exportable(ops: Iterable[str]) -> list[str]:
    """Those that torchlib has a function for, or that decompose."""
    registry = _registration.ONNXRegistry.from_torchlib()
    table = _decomp.create_onnx_friendly_decomposition_table(set(_decomp.get_onnx_implemented_overloads(registry)))
    return reachable(ops, lambda one: one in table or registry.is_registered(one))


def read_torchlib_once() -> None:
    """The exporter reads the hundreds of functions of torchlib anew for each program, which was more than half of its
    time. Nothing that is exported here adds to them."""
    read = _registration.ONNXRegistry.from_torchlib.__func__  # type: ignore[attr-defined]
    _registration.ONNXRegistry.from_torchlib = classmethod(functools.cache(read))  # type: ignore[assignment]


def cause(error: BaseException) -> BaseException:
    """The exception that began it."""
    while error.__cause__ is not None:
        error = error.__cause__
    return error


def make(arguments: list[str]) -> System:
    settings = parse(arguments, SWITCHES)
    quiet_single_thread()
    op_scan = speed_up()
    read_torchlib_once()

    @remembered
    def build(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> Program:
        op_scan.renew()
        with stages("export"), torch.no_grad():
            stateless = without_state(graph, inputs)
            module = case_module(stateless.program).eval()
            optimize = settings["optimize"] == "yes"
            try:
                program = torch.onnx.export(module, stateless.example, dynamo=True, verbose=False, optimize=optimize)
            except Exception as error:
                raise cause(error) from None  # the exporter wraps what went wrong in advice
            assert program is not None
            refuse_empty_means(program)
            model = program.model_proto.SerializeToString()

        def start() -> Instance:
            with stages("lower"):
                loaded = session(model, settings)
            return instance_of(stateless, calling(loaded))

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


def calling(loaded: onnxruntime.InferenceSession) -> Call:
    names = [one.name for one in loaded.get_inputs()]

    def call(fed: Mapping[str, torch.Tensor]) -> list[torch.Tensor]:
        if len(names) != len(fed):
            raise RuntimeError(f"the model has {len(names)} inputs, the program {len(fed)}")
        arrays = {name: tensor.numpy() for name, tensor in zip(names, fed.values(), strict=True)}
        return [torch.from_numpy(array) for array in loaded.run(None, arrays)]

    return call


if __name__ == "__main__":
    serve(make)
