"""The way of a case through TensorFlow. Its targets share it; they differ in what compiles the traced function."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
# One thread, so that a sum has one order.
os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false"

import numpy as np
import tensorflow as tf

from adapters.functional.calls import Tensor, evaluate
from adapters.functional.direct import direct, taken
from adapters.functional.tensorflow_rows import LIBRARY, TABLE
from adapters.onnx.graph import Graph
from adapters.onnx.session import Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import DTYPES, Array
from adapters.worker.switches import Switch, declared, parse
from adapters.worker.system import Rejection, Stages, System

FUNCTIONS = direct(TABLE)

REJECTIONS = (
    Rejection(
        r"Value for attr 'T\w*' of \S+ is not in the list of allowed values"
        r"|has DataType \w+ not in list of allowed values",
        "the registry of TensorFlow's operations lists the dtypes that each of them has",
    ),
    Rejection(
        r"Could not find device for node|No registered '\w+' OpKernel for|No OpKernel was registered to support",
        "TensorFlow has kernels for some dtypes of an operation, and says so",
    ),
    Rejection(
        r"Detected unsupported operations when trying to compile graph",
        "tensorflow.org/xla/known_issues: XLA takes the operations that its bridge has a kernel for",
    ),
)


def single_thread() -> None:
    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)


def traced(graph: Graph, **options: Any) -> Any:
    """The concrete function of a graph; its inputs are in the order of the graph's."""

    def case(*inputs: Tensor) -> list[Tensor]:
        # An output that is an input is handed on by a node: else it is none of the function's results.
        return [tf.identity(one) for one in evaluate(LIBRARY, TABLE, graph, inputs)]

    specs = [tf.TensorSpec(value.shape, DTYPES[value.dtype], f"in_{i}") for i, value in enumerate(graph.inputs)]
    return tf.function(case, autograph=False, **options).get_concrete_function(*specs)


def compile_graph(graph: Graph, jit: bool) -> Callable[[list[Array]], list[Array]]:
    """With every switch at its default."""
    function = traced(graph, jit_compile=jit)
    return lambda arrays: [result.numpy() for result in function(*map(tf.constant, arrays))]


def make_tensorflow(name: str, arguments: list[str], jit: bool, switches: Sequence[Switch], profile: str) -> System:
    """The target; with --graph=no each operation runs by itself, which is a finding's control."""
    settings = parse(arguments, switches)
    single_thread()
    grappler = {switch.name: settings[switch.name] == "yes" for switch in switches if switch.name != "graph"}
    tf.config.optimizer.set_experimental_options(grappler)

    def build(written: Written, stages: Stages) -> Program:
        graph = written.graph
        held: list[Tensor] = []  # results are read where they lie, so that a later run that writes there shows

        def instance_of(call: Callable[..., list[Tensor]]) -> Instance:
            def run(arrays: list[Array]) -> list[Array]:
                results = call(*(tf.constant(array) for array in arrays))
                held.append(results)
                return [np.asarray(result.numpy()) for result in results]

            return run

        if settings["graph"] == "no":
            return Program(lambda: instance_of(lambda *inputs: evaluate(LIBRARY, TABLE, graph, inputs)))
        with stages("export"):
            function = traced(graph, jit_compile=jit)

        def keep(folder: Path) -> None:
            (folder / "graph.pbtxt").write_text(str(function.graph.as_graph_def()))

        return Program(lambda: instance_of(function), keep=keep)

    more = {"artifacts": True, "switches": declared(switches)}
    return make_system(
        name,
        version("tensorflow-cpu"),
        list(DTYPES),
        profile,
        build,
        REJECTIONS,
        explain=explain,
        ops=taken(FUNCTIONS),
        more=more,
        functions=FUNCTIONS,
    )


def explain(message: str, _: str) -> str:
    """The line that says what is wrong: the graph's nodes and Python's stack follow it."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    told = [line for line in lines if not line.startswith(("Graph execution error", "Detected at node", "File "))]
    return "\n".join(told) if told else message
