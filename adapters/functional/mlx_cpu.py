"""mlx: Apple's MLX on its CPU backend, a case as one function under mx.compile.

?compile=no leaves the function as it is, whose graph then runs operation by operation: a finding's control.
?divmod=yes takes the quotient rounded down and the remainder of floats from mx.divmod, which MLX documents as a // b
and a % b. It is for a case that somebody gives, and no campaign draws it: a quotient that is within a rounding of an
integer may be rounded up to it first, which eager's is not.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

import mlx.core as mx

from adapters.functional.calls import Table, Tensor, evaluate
from adapters.functional.direct import direct, taken
from adapters.functional.mlx_rows import BY_DIVMOD, LIBRARY, MLX_DTYPES, TABLE, array_of, numbers_of
from adapters.onnx.graph import Graph
from adapters.onnx.session import Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import DTYPES, Array
from adapters.worker.loop import serve
from adapters.worker.switches import Switch, declared, parse
from adapters.worker.system import Rejection, Stages, System

FUNCTIONS = direct(TABLE)
SWITCHES = (Switch("compile", ("yes", "no")),)
UNDRAWN = (Switch("divmod", ("no", "yes")),)
REJECTIONS = (Rejection("Only inexact types are supported", "mx.matmul says that it takes no integers"),)


def function_of(graph: Graph, compiled: bool, table: Table = TABLE) -> Callable[..., list[Tensor]]:
    def case(*inputs: Tensor) -> list[Tensor]:
        return evaluate(LIBRARY, table, graph, inputs)

    return mx.compile(case) if compiled else case


def program_of(graph: Graph, compiled: bool) -> Callable[[list[Array]], list[Array]]:
    function = function_of(graph, compiled)
    return lambda arrays: [numbers_of(one, "bf16") for one in function(*map(array_of, arrays))]


def make(arguments: list[str]) -> System:
    settings = parse(arguments, (*SWITCHES, *UNDRAWN))
    table = {**TABLE, **BY_DIVMOD} if settings["divmod"] == "yes" else TABLE
    functions = direct(table)
    mx.set_default_device(mx.cpu)

    def build(written: Written, stages: Stages) -> Program:
        graph = written.graph
        held: list[list[Tensor]] = []  # results are read where they lie, so that a later run that writes there shows
        dtypes = [value.dtype for value in graph.outputs]
        function = function_of(graph, settings["compile"] == "yes", table)
        with stages("lower"):  # at its first call it is traced and compiled; what that gives is not looked at
            # Not zeros: before 0.32 a quotient of integers by 0 ended the process.
            mx.eval(function(*(mx.ones(value.shape, MLX_DTYPES[value.dtype]) for value in graph.inputs)))

        def start() -> Instance:
            def run(arrays: list[Array]) -> list[Array]:
                results = function(*(array_of(array) for array in arrays))
                mx.eval(results)
                held.append(results)
                return [numbers_of(one, dtype) for one, dtype in zip(results, dtypes, strict=True)]

            return run

        return Program(start)

    return make_system(
        "mlx",
        version("mlx"),
        [dtype for dtype in DTYPES if dtype != "f64"],  # exp, sin and cos of f64 are f32's (mlx issue 3047)
        "mlx",
        build,
        REJECTIONS,
        versions={"mlx-cpu": version("mlx-cpu")},
        ops=taken(functions),
        more={"switches": declared(SWITCHES)},
        functions=functions,
    )


if __name__ == "__main__":
    serve(make)
