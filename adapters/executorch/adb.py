"""adb: ExecuTorch lowered here and run on a phone by its executor_runner.

--runner=PATH says where executor_runner lies on the phone, --serial=NAME which phone, --delegate=xnnpack what to
lower for. --keep=FOLDER keeps of each run the .pte, its inputs, what eager makes of them and the runner's command
line, to hand on to somebody without any of this.

Each run is a process of its own on the phone, so that nothing is seen of what a second call of one instance does.
A phone that is away or does not answer is nobody's finding; a runner that dies on it is one (phone.py).
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from adapters.executorch.kept_run import command_line, files_of, keep_run
from adapters.executorch.phone import RUNNER, Phone
from adapters.executorch.pipeline import FORWARD, RunProgram, make_system, observe, returned
from adapters.executorch.xnnpack import PARTITIONER
from adapters.torch.case_module import Instance, Ran
from adapters.worker.loop import serve
from adapters.worker.switches import Settings
from adapters.worker.system import AdapterError, Json, Stages, System, UnsupportedError

DELEGATES = {"portable": None, "xnnpack": PARTITIONER}


@dataclass(frozen=True)
class Result:
    """A tensor that the program returns."""

    dtype: torch.dtype
    sizes: tuple[int, ...]
    strides: tuple[int, ...]

    def read(self, data: bytes) -> torch.Tensor:
        tensor = torch.empty_strided(self.sizes, self.strides, dtype=self.dtype)
        wanted = tensor.numel() * tensor.element_size()
        if len(data) != wanted:  # the program against its own plan
            raise RuntimeError(f"{len(data)} bytes for a result of {wanted}")
        if wanted:
            tensor.as_strided((tensor.numel(),), (1,)).copy_(torch.frombuffer(bytearray(data), dtype=self.dtype))
        return tensor


def results_of(exported: Any) -> list[Result]:
    """What the program returns, in order, as its memory plan has it."""
    specs = [node.meta["spec"] for node in exported.graph.output_node().args[0]]
    return [Result(spec.dtype, tuple(spec.shape), tuple(spec.stride)) for spec in specs]


def run_on(phone: Phone, kept: Path | None) -> RunProgram:
    """What runs a lowered case on the phone."""

    def run(graphs: dict[str, Json], program: Any, _: Stages, __: Settings) -> Callable[[], Instance]:
        graph = graphs[FORWARD]
        exported = program.exported_program()
        if exported.graph_signature.buffers_to_mutate:
            raise UnsupportedError("a buffer that is written: executor_runner starts anew for each run")
        places, results = returned(exported.graph_signature), results_of(exported)
        blob = bytes(program.buffer)

        def call(given: Sequence[torch.Tensor]) -> Ran:
            files = files_of(blob, given)
            if kept is not None:
                keep(kept, graph, given, files)
            made = phone.run(files, command_line(phone.runner, len(given)))
            missing = [i for i in range(len(results)) if f"out-{i}.bin" not in made]
            if missing:
                raise RuntimeError(f"executor_runner wrote no file for output {missing[0]} of {len(results)}")
            return observe(graph, places, [result.read(made[f"out-{i}.bin"]) for i, result in enumerate(results)])

        return lambda: call

    return run


def keep(folder: Path, graph: Json, given: Sequence[torch.Tensor], files: dict[str, bytes]) -> None:
    """The run in a folder named by what its files hold."""
    digest = hashlib.sha256(b"".join(files.values())).hexdigest()[:12]
    keep_run(folder / digest, graph, given, files)


def make(arguments: list[str]) -> System:
    options = argparse.ArgumentParser()
    options.add_argument("--adb", default="adb")
    options.add_argument("--serial")
    options.add_argument("--runner", default=RUNNER)
    options.add_argument("--delegate", choices=DELEGATES, default="portable")
    options.add_argument("--keep", type=Path)
    chosen, rest = options.parse_known_args(arguments)
    phone = Phone(chosen.adb, chosen.serial, chosen.runner)
    try:
        model = phone.check()
    except AdapterError as error:
        raise SystemExit(str(error)) from None
    system = make_system("adb", rest, DELEGATES[chosen.delegate], run=run_on(phone, chosen.keep))
    hello = system.hello()
    hello["versions"] = {**hello["versions"], "device": model}
    return replace(system, hello=lambda: hello)


if __name__ == "__main__":
    serve(make)
