"""jax: XLA's CPU compiler, by jax.jit of a case that is spelt in jax.numpy and jax.lax.

?jit=no runs each operation by itself, which is a finding's control: what differs is the compiler's doing.
?donate=yes gives the memory of what is fed away for results, ?level= is LLVM's optimization level, and
?scheduler=memory has XLA order operations for the least memory and not for the most concurrency.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from adapters.xla import environment  # noqa: F401 - JAX reads the environment when it is imported

# isort: split
import jax
import numpy as np

from adapters.functional.calls import Tensor, evaluate
from adapters.functional.direct import direct, taken
from adapters.functional.jax_rows import LIBRARY, TABLE
from adapters.onnx.graph import Graph
from adapters.onnx.session import Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import DTYPES, Array
from adapters.worker.loop import serve
from adapters.worker.switches import Switch, declared, parse
from adapters.worker.system import Stages, System

FUNCTIONS = direct(TABLE)

SWITCHES = (
    Switch("jit", ("yes", "no")),
    Switch("donate", ("no", "yes")),
    Switch("level", ("3", "2", "1", "0")),
    Switch("scheduler", ("concurrency", "memory")),
)


def compile_graph(graph: Graph) -> Callable[[list[Array]], list[Array]]:
    """With every switch at its default."""
    given = [jax.ShapeDtypeStruct(value.shape, DTYPES[value.dtype]) for value in graph.inputs]
    compiled = jax.jit(lambda *inputs: evaluate(LIBRARY, TABLE, graph, inputs)).lower(*given).compile()
    return lambda arrays: [np.asarray(result) for result in compiled(*arrays)]


def make(arguments: list[str]) -> System:
    settings = parse(arguments, SWITCHES)
    compiler_options = {
        "xla_backend_optimization_level": int(settings["level"]),
        "xla_cpu_enable_concurrency_optimized_scheduler": settings["scheduler"] == "concurrency",
    }

    def build(written: Written, stages: Stages) -> Program:
        graph = written.graph
        held: list[Tensor] = []  # results are read where they lie, so that a later run that writes there shows

        def case(*inputs: Tensor) -> list[Tensor]:
            return evaluate(LIBRARY, TABLE, graph, inputs)

        def instance_of(call: object) -> Instance:
            def run(arrays: Sequence[Array]) -> list[Array]:
                results = call(*(jax.device_put(array.copy()) for array in arrays))
                held.append(results)
                return [np.asarray(result) for result in results]

            return run

        if settings["jit"] == "no":
            return Program(lambda: instance_of(case))
        given = [jax.ShapeDtypeStruct(value.shape, DTYPES[value.dtype]) for value in graph.inputs]
        donated = tuple(range(len(given))) if settings["donate"] == "yes" else ()
        with stages("export"):
            lowered = jax.jit(case, donate_argnums=donated, keep_unused=True).lower(*given)
        with stages("lower"):
            compiled = lowered.compile(compiler_options=compiler_options)

        def keep(folder: Path) -> None:
            (folder / "model.stablehlo.mlir").write_text(lowered.as_text())
            (folder / "model.hlo.txt").write_text(compiled.as_text())

        return Program(lambda: instance_of(compiled), keep=keep)

    versions = {"jaxlib": version("jaxlib")}
    more = {"artifacts": True, "switches": declared(SWITCHES)}
    return make_system(
        "jax",
        version("jax"),
        list(DTYPES),
        "jax",
        build,
        versions=versions,
        ops=taken(FUNCTIONS),
        more=more,
        functions=FUNCTIONS,
    )


if __name__ == "__main__":
    serve(make)
