"""onnxruntime: its CPU provider. ?optimization=none|basic|extended|all is the graph optimization level.

The same model with none is the control of a finding: what differs between the two is an optimizer's doing. The other
switches are those of a session: ?pattern=off and ?arena=off for memory, ?execution=parallel for the executor,
?saved=yes runs the optimized model as it was written to a file and read again; with ?cache=warm the first instance
writes it and the fresh one reads it. ?weights=kept leaves out WeightBiasQuantization, which makes int8 and int32 of
float weights and biases of a quantized layer. ?integers=operators has quantized products written as QLinearConv and its
like. ?opset=18 names an older operator set in the model, as exporters do: onnxruntime has other kernels for it.
"""

from __future__ import annotations

import tempfile
from importlib.metadata import version
from pathlib import Path

import onnxruntime

from adapters.onnx.integer_operators import INTEGERS, facts_of
from adapters.onnx.session import NUMPY_DTYPES, Instance, Program, make_system
from adapters.onnx.writer import Written
from adapters.worker.loop import serve
from adapters.worker.switches import Settings, Switch, declared, parse
from adapters.worker.system import Rejection, Stages, System
from adapters.worker.warm_cache import CACHE, WarmCache

REJECTIONS = (
    Rejection(
        r"NOT_IMPLEMENTED : Could not find an implementation for",
        "docs/OperatorKernels.md of onnxruntime: the CPU provider has kernels for some dtypes of an operator",
        stage="lower",
    ),
)

LEVELS = {
    "none": onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL,
}


SWITCHES = (
    Switch("optimization", ("all", "extended", "basic", "none")),
    Switch("pattern", ("on", "off")),
    Switch("arena", ("on", "off")),
    Switch("execution", ("sequential", "parallel")),
    Switch("saved", ("no", "yes")),
    Switch("weights", ("quantized", "kept")),
    INTEGERS,
    CACHE,
)
OPSET = Switch("opset", ("20", "18"))
OPTIMIZED = "optimized.onnx"


def session(model: bytes, settings: Settings, saved_to: Path | None = None) -> onnxruntime.InferenceSession:
    """A session of the model, which writes the optimized one to a file where it is told to."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = LEVELS[settings["optimization"]]
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    options.enable_mem_pattern = settings["pattern"] == "on"
    options.enable_cpu_mem_arena = settings["arena"] == "on"
    if settings["execution"] == "parallel":
        options.execution_mode = onnxruntime.ExecutionMode.ORT_PARALLEL
        options.inter_op_num_threads = 2  # with one it runs one node after the other
    disabled = {"disabled_optimizers": ["WeightBiasQuantization"]} if settings["weights"] == "kept" else {}

    def loaded(text: bytes) -> onnxruntime.InferenceSession:
        return onnxruntime.InferenceSession(text, options, providers=["CPUExecutionProvider"], **disabled)

    if saved_to:
        options.optimized_model_filepath = str(saved_to)
    if settings["saved"] == "no" or saved_to:
        return loaded(model)
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(Path(folder) / OPTIMIZED)
        loaded(model)
        saved = Path(options.optimized_model_filepath).read_bytes()
    options.optimized_model_filepath = ""
    return loaded(saved)


def make(arguments: list[str]) -> System:
    settings = parse(arguments, (*SWITCHES, OPSET))
    warm = settings["cache"] == "warm"

    def build(written: Written, stages: Stages) -> Program:
        facts = facts_of(written.graph, settings)
        written.graph.opset = int(settings["opset"])
        model = written.graph.serialize()
        names = [value.name for value in written.graph.inputs]

        cache = WarmCache()

        def instance_of(loaded: onnxruntime.InferenceSession) -> Instance:
            given = [one.name for one in loaded.get_inputs()]
            return lambda arrays: loaded.run(
                None, {name: array for name, array in zip(names, arrays, strict=True) if name in given}
            )

        def start() -> Instance:
            with stages("lower"):
                return instance_of(session(model, settings, cache.empty() / OPTIMIZED if warm else None))

        def start_warm() -> Instance:
            with stages("load"):
                return instance_of(session((cache.filled() / OPTIMIZED).read_bytes(), settings))

        return Program(start, facts, start_warm=start_warm if warm else None)

    return make_system(
        "onnxruntime",
        version("onnxruntime"),
        NUMPY_DTYPES,
        "onnxruntime",
        build,
        REJECTIONS,
        {"onnx": version("onnx")},
        symbols=True,
        subgraphs=True,
        quantized=True,
        more={"switches": declared((*SWITCHES, OPSET))},
    )


if __name__ == "__main__":
    serve(make)
