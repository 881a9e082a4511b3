"""The way of a case through torch.compile. Its targets share it; they differ in the backend.

The caller's tensors and the module's buffers are written by the compiled program itself, and an output that is an
input's memory in eager is promised to be it here, so all of it is observed.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo
import torch._inductor.config

from adapters.torch.case_module import Build, Instance, Program, case_module, grad_mode, live, torch_hello
from adapters.torch.gradients import run_case
from adapters.torch.inductor_folders import keep_apart
from adapters.torch.limits import COMPILE_REJECTIONS
from adapters.worker.last_program import remembered
from adapters.worker.system import Json, Stages, System


def isolate() -> None:
    """One case must not know of another: nothing is kept between them, in memory or on disk.

    What comes out of a cache is the graph of a key. A key that is too coarse is a bug of the system, but not of the
    case that meets it, and no single case shows it. Built C++ is kept, by a hash of its whole source, while the worker
    lives.
    """
    keep_apart()
    # Older releases, as 2.5, have the switch in inductor's settings alone.
    settings: Any = getattr(torch.compiler, "config", torch._inductor.config)
    settings.force_disable_caches = True
    torch._inductor.config.compile_threads = 1  # no pool of processes either


def compiled_with(graph: Json, backend: str) -> tuple[Callable[..., Any], Callable[[], Instance]]:
    """What compiles at its first call, and the instances of it."""
    torch._dynamo.reset()
    module = case_module(graph)
    # A graph break would leave a part of the case to eager, unseen, so it is an error here. Sizes are what they are:
    # found to vary, they would become symbols in the next case.
    compiled = torch.compile(module, backend=backend, fullgraph=True, dynamic=False)
    return compiled, live(graph, module, identity=True, call=compiled)


def build_with(backends: tuple[str, ...]) -> Build:
    """The builder for run_protocol of the last of these backends; the others are its stages."""

    def build(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> Program:
        compiled, start = compiled_with(graph, backends[-1])
        with stages("compile"), grad_mode(inputs):
            compiled(*inputs)  # it also runs, on tensors that nobody looks at
        return Program(
            start, stages={name: lambda name=name: compiled_with(graph, name)[1]() for name in backends[:-1]}
        )

    return build


def explain(message: str, _: str) -> str:
    """One line: "backend='aot_eager' raised:" is followed by what was raised, and then by advice."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return " ".join(lines[:2] if lines and lines[0].endswith("raised:") else lines[:1])


def make_system(name: str, backends: tuple[str, ...], profile: str | Json) -> System:
    """The system `name`: torch.compile with the last of these backends."""
    torch.set_num_threads(1)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    isolate()
    hello = {**torch_hello(name, profile), "gradients": True}
    build = remembered(build_with(backends))
    return System(lambda: hello, lambda request, stages: run_case(request, stages, build), COMPILE_REJECTIONS, explain)
