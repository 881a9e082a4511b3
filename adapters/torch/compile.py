"""The way of a case through torch.compile. Its targets share it; they differ in the backend.

The caller's tensors and the module's buffers are written by the compiled program itself, and an output that is an
input's memory in eager is promised to be it here, so all of it is observed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import torch._dynamo
import torch._inductor.config
import torch._inductor.utils

from adapters.torch.case_module import (
    Build,
    Instance,
    Program,
    case_module,
    grad_mode,
    live,
    quiet_single_thread,
    torch_hello,
)
from adapters.torch.dynamic_dims import graphs_compiled, mark_dynamic
from adapters.torch.gradients import run_case
from adapters.torch.inductor_folders import keep_apart
from adapters.torch.limits import COMPILE_REJECTIONS
from adapters.worker.last_program import remembered
from adapters.worker.switches import Settings, Switch, declared, parse
from adapters.worker.system import Json, Stages, System
from adapters.worker.warm_cache import WarmCache, check_loaded


def isolate(caches: bool) -> None:
    """One case must not know of another: nothing is kept between them, in memory or on disk.

    What comes out of a cache is the graph of a key. A key that is too coarse is a bug of the system, but not of the
    case that meets it, and no single case shows it. Built C++ is kept, by a hash of its whole source, while the worker
    lives. `caches`: those that are looked at are on, in a folder for each program.
    """
    keep_apart()
    # Older releases, as 2.5, have the switch in inductor's settings alone.
    settings: Any = getattr(torch.compiler, "config", torch._inductor.config)
    settings.force_disable_caches = not caches
    limit = "recompile_limit" if hasattr(torch._dynamo.config, "recompile_limit") else "cache_size_limit"
    setattr(torch._dynamo.config, limit, 64)  # of the sizes of one case
    torch._inductor.config.compile_threads = 1  # no pool of processes either


# Switches of torch.compile itself.
COMPILE_SWITCHES = (Switch("dynamic", ("no", "yes")), Switch("dynamism", ("marked", "automatic")))


def compiled_with(graph: Json, backend: str, settings: Settings) -> tuple[Callable[..., Any], Callable[[], Instance]]:
    """What compiles at its first call, and the instances of it."""
    torch._dynamo.reset()
    # A size that data decide breaks the graph unless it is asked for.
    torch._dynamo.config.capture_dynamic_output_shape_ops = any("count" in node for node in graph.get("nodes", []))
    module = case_module(graph)
    # A graph break would leave a part of the case to eager, unseen, so it is an error here. Sizes of a case without
    # symbols are what they are unless asked otherwise: found to vary, they would become symbols in the next case.
    dynamic = None if "symbols" in graph else settings["dynamic"] == "yes"
    compiled = torch.compile(module, backend=backend, fullgraph=True, dynamic=dynamic)
    return compiled, live(graph, module, identity=True, call=compiled)


def build_with(backends: tuple[str, ...], settings: Settings) -> Build:
    """The builder for run_protocol of the last of these backends; the others are its stages. The symbols of a case are
    marked, or, where the switch says so, found out by its second size."""
    automatic = settings["dynamism"] == "automatic"

    def build(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> Program:
        def ready(backend: str) -> Callable[[], Instance]:
            compiled, start = compiled_with(graph, backend, settings)
            if "symbols" in graph and automatic:
                return start
            if "symbols" in graph:
                mark_dynamic(graph, inputs)
            if "symbols" in graph or backend == backends[-1]:
                with grad_mode(inputs):
                    compiled(*inputs)  # it also runs, on tensors that nobody looks at
            return start

        if settings.get("cache") == "warm":
            return cached_program(lambda: ready(backends[-1]), stages)
        with stages("compile"):
            start = ready(backends[-1])
        before = graphs_compiled()

        def recompiled() -> Json:
            if "symbols" not in graph:
                return {}
            # With automatic dynamism the first size is compiled at the first run.
            return {"recompiled": graphs_compiled() - before - automatic}

        stages_before = {name: lambda name=name: ready(name)() for name in backends[:-1]}
        return Program(start, late_facts=recompiled, stages=stages_before)

    return build


def cached_program(compile_case: Callable[[], Callable[[], Instance]], stages: Stages) -> Program:
    """A program that is compiled into an empty cache and then again, as another process would, from what is left there:
    the graphs of inductor's and AOTAutograd's caches."""
    cache = WarmCache()

    def start_in(folder: Path) -> Instance:
        forget_caches()
        os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder)
        with stages("compile"):
            return compile_case()()

    def start_warm() -> Instance:
        before = cache_hits()
        instance = start_in(cache.filled())
        check_loaded(cache_hits() > before)
        return instance

    return Program(lambda: start_in(cache.empty()), start_warm=start_warm)


def forget_caches() -> None:
    """What inductor keeps in memory; the name is its own, and another one in older releases."""
    utils: Any = torch._inductor.utils
    clear = getattr(utils, "clear_caches", None) or utils.clear_inductor_caches
    clear()


def cache_hits() -> int:
    """The graphs that came from one of the caches so far."""
    counters = torch._dynamo.utils.counters
    return counters["inductor"]["fxgraph_cache_hit"] + counters["aot_autograd"]["autograd_cache_hit"]


def explain(message: str, _: str) -> str:
    """One line: "backend='aot_eager' raised:" is followed by what was raised, and then by advice."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    return " ".join(lines[:2] if lines and lines[0].endswith("raised:") else lines[:1])


def make_system(
    name: str,
    backends: tuple[str, ...],
    profile: str | Json,
    arguments: list[str],
    switches: Sequence[Switch] = COMPILE_SWITCHES,
    configure: Callable[[Settings], None] = lambda _: None,
) -> System:
    """The system `name`: torch.compile with the last of these backends. `configure` sets what is the process's."""
    settings = parse(arguments, switches)
    configure(settings)
    quiet_single_thread()
    isolate(settings.get("cache") == "warm")
    hello = {
        **torch_hello(name, profile),
        "gradients": True,
        "several_runs": True,
        "counts": True,
        "instances": False,
        "subgraphs": True,
        "custom_ops": True,
        "switches": declared(switches),
    }
    build = remembered(build_with(backends, settings))

    def run(request: Json, stages: Stages) -> Json:
        return run_case(request, stages, build, ("counts", "custom"))

    return System(lambda: hello, run, COMPILE_REJECTIONS, explain)
