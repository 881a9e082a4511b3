"""The way of a case through IREE: its importer of ONNX, its compiler, its runtime. Its targets differ in the device.

The compiler runs inside the worker, which saves starting one a case; where it crashes, that is the outcome. It says
why on standard error.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import iree.compiler.ir
import iree.runtime
import numpy as np
from iree.compiler.api import Output, Session, Source, _initializeGlobalCL
from iree.compiler.extras import onnx_importer
from onnx.shape_inference import infer_shapes

from adapters.onnx.graph import Value
from adapters.onnx.session import Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import DTYPES, Array, holding
from adapters.worker.system import Rejection, Stages, System

FUNCTION = "case"  # what the writer calls the graph
RUN_MODULE = str(Path(sys.executable).parent / "iree-run-module")

Load = Callable[[bytes, Written], Instance]

REJECTIONS = (
    Rejection(
        r"failed to legalize operation 'torch\.operator'",
        "torch-mlir's docs/importers/onnx_importer.md: an operator, or a form of it, that has no conversion",
        stage="lower",
    ),
    Rejection(
        r"failed to legalize operation 'torch\.aten\.__interpolate\.size_list_scale_list'",
        "torch-mlir's lowering of a resize to linalg: not for this rank or mode",
        stage="lower",
    ),
    Rejection(
        r"failed to legalize operation 'torch\.aten\.matmul'.* : \(!torch\.vtensor<"
        r"(\[\d+\],\w+>, !torch\.vtensor<\[\d+(,\d+){2,}\]|\[\d+(,\d+){2,}\],\w+>, !torch\.vtensor<\[\d+\])",
        "torch-mlir's Linear.cpp, a note in it: no product of a vector with a batch of matrices",
        stage="lower",
    ),
    Rejection(
        r"onnx\.Expand input has a dim that is not statically 1; expected this dim >= dim provided shape",
        "torch-mlir's DefaultDomainAtoF.cpp, the message itself: an open dim is not broadcast by Expand",
        stage="run",
    ),
)

_DIAGNOSTIC = re.compile(r"error: (.+)$", re.MULTILINE)


class RunError(Exception):
    """The first line that iree-run-module says before it fails."""


class CompilerError(Exception):
    """The compiler's own refusal; its diagnostics are on standard error."""


def explain(message: str, written: str) -> str:
    """The compiler's first diagnostic, which is not part of what Python raises."""
    first = _DIAGNOSTIC.search(written)
    return f"{message}: {first.group(1)}" if first else message


def import_model(model: Any, dynamic: bool) -> str:
    """The model in torch-mlir's dialect for ONNX, as text. The importer takes the types of values from the model, so
    those of a dynamic one are inferred first, as its own command line does."""
    info = onnx_importer.ModelInfo(infer_shapes(model, data_prop=True) if dynamic else model)
    module = info.create_module(context=iree.compiler.ir.Context()).operation
    onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
    return str(module)


def compile_text(text: str, flags: Sequence[str]) -> bytes:
    """A module for the runtime."""
    _set_global_flags()
    with Session() as session:
        session.set_flags("--iree-input-type=onnx", *flags)
        source = Source.wrap_buffer(session, text.encode() + b"\0")
        invocation = session.invocation()
        invocation.enable_console_diagnostics()
        if not invocation.parse_source(source) or not invocation.execute():
            raise CompilerError("the compiler refuses the model")
        with Output.open_membuffer() as output:
            invocation.output_vm_bytecode(output)
            return bytes(output.map_memory())


@cache
def _set_global_flags() -> None:
    """Diagnostics that end with their message: what follows it otherwise, the whole operation, leaves the message cut
    off at a place that depends on the graph. The option is the process's, which sessions cannot set."""
    _initializeGlobalCL("parallax", "--mlir-print-op-on-diagnostic=false")


def typed(array: Array, value: Value) -> Array:
    """IREE knows no unsigned integers, booleans or bf16 outside its modules: it hands back bytes of the right size.

    Its memory is held by the array of to_host() alone, which a view does not always hold."""
    dtype = DTYPES[value.dtype]
    return holding(array).view(dtype) if array.itemsize == dtype.itemsize else array


def load_on_cpu(module: bytes, written: Written) -> Instance:
    """A fresh instance of a compiled module inside the worker."""
    config = _cpu()
    loaded = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, module), config)

    held: list[object] = []  # results are read where they lie, so that a later run that writes there shows

    def run(arrays: list[Array]) -> list[Array]:
        results = loaded[FUNCTION](*arrays)
        several = results if isinstance(results, tuple | list) else [results]
        held.append(several)
        hosts = [result.to_host() for result in several]
        return [typed(host, value) for host, value in zip(hosts, written.graph.outputs, strict=True)]

    return run


@cache
def _cpu() -> iree.runtime.Config:
    return iree.runtime.Config("local-sync")


def run_module(module: bytes, device: str, written: Written) -> Instance:
    """A program of its own for each run, iree-run-module: in Python the runtime's Vulkan driver takes no arrays of
    numpy's (their memory is not aligned as the import of host memory wants it)."""

    def run(arrays: list[Array]) -> list[Array]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "module.vmfb").write_bytes(module)
            command = [RUN_MODULE, f"--device={device}", f"--module={folder}/module.vmfb", f"--function={FUNCTION}"]
            for i, array in enumerate(arrays):
                np.save(folder / f"in{i}.npy", array)
                command.append(f"--input=@{folder}/in{i}.npy")
            command += [f"--output=@{folder}/out{i}.npy" for i in range(len(written.graph.outputs))]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode != 0:
                first = done.stdout.strip().partition("\n")[0]
                raise RunError(f"exit {done.returncode}: {first}")
            return [typed(np.load(folder / f"out{i}.npy"), value) for i, value in enumerate(written.graph.outputs)]

    return run


def make_iree(name: str, flags: Sequence[str], load: Load) -> System:
    """The target that compiles with these flags; `load` makes an instance of a module."""

    def build(written: Written, stages: Stages) -> Program:
        with stages("export"):
            text = import_model(written.graph.model(), bool(written.graph.dims))
        with stages("lower"):
            module = compile_text(text, flags)
        return Program(lambda: load(module, written))

    # f64 is left out: the compiler demotes it to f32.
    dtypes = ["bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "f32"]
    versions = {"iree-base-runtime": version("iree-base-runtime"), "onnx": version("onnx")}
    installed = version("iree-base-compiler")
    return make_system(
        name, installed, dtypes, "iree", build, REJECTIONS, versions, explain=explain, symbols=True,
        subgraphs=("cond", "scan", "map"),
    )  # fmt: skip
