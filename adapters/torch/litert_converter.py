"""The way of a case through LiteRT by litert-torch, which converts PyTorch's modules: ai-edge-litert's interpreter runs
the flatbuffer. Its targets differ in whether the XNNPACK delegate takes what it can.

A flatbuffer of a module has no state, so the program has none (stateless.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

import litert_torch
import torch
from litert_torch import fx_infra
from litert_torch._convert import converter_v2
from litert_torch.backend.lowerings import registry

from adapters.litert.interpreter import DELEGATED, delegated, load, runner
from adapters.litert.interpreter import REJECTIONS as INTERPRETER_REJECTIONS
from adapters.litert.interpreter import SWITCHES as INTERPRETER_SWITCHES
from adapters.torch.case_module import (
    Instance,
    Program,
    all_ops,
    case_module,
    quiet_single_thread,
    run_protocol,
    torch_hello,
)
from adapters.torch.limits import EXPORT_REJECTIONS
from adapters.torch.reachable_ops import reachable
from adapters.torch.stateless import Stateless, instance_of, without_state
from adapters.worker.last_program import remembered
from adapters.worker.switches import Settings, Switch, declared, parse
from adapters.worker.system import Json, Rejection, Stages, System

REJECTIONS = (
    Rejection(
        r"Lowering not found: ",
        "litert_torch/backend/export.py: the operation is named that it has no lowering for",
        stage="lower",
    ),
    Rejection(
        r"failed to legalize operation '\S+' that was explicitly marked illegal",
        "ai.google.dev/edge/litert/models/ops_compatibility: the operation is named that no builtin one is for these "
        "dtypes",
        stage="lower",
    ),
    *INTERPRETER_REJECTIONS,
    *EXPORT_REJECTIONS,
)

DTYPES = ("bool", "u8", "i8", "i16", "i32", "i64", "f32")

SWITCHES = (
    *INTERPRETER_SWITCHES,
    Switch("lightweight", ("no", "yes")),
    *([Switch("converter", ("v1", "v2"))] if converter_v2.is_supported() else []),
)


def convert(case: Stateless, settings: Settings) -> bytes:
    """The flatbuffer of the case."""
    converted = litert_torch.convert(
        case_module(case.program).eval(),
        case.example,
        enable_x64=True,  # it would take 64 bits for 32, with a warning
        lightweight_conversion=settings["lightweight"] == "yes",
        use_v2=settings.get("converter") == "v2",
    )
    return converted.model_content()


def make_litert_torch(name: str, arguments: list[str], delegate: bool, profile: str) -> System:
    settings = parse(arguments, SWITCHES)
    quiet_single_thread()

    @remembered
    def build(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> Program:
        case = without_state(graph, inputs)
        with torch.no_grad(), stages("lower"):
            model = convert(case, settings)

        def start() -> Instance:
            with stages("load"):
                run = runner(load(model, delegate, settings), len(case.program["outputs"]))

            def call(fed: Mapping[str, torch.Tensor]) -> list[torch.Tensor]:
                return [torch.as_tensor(array) for array in run([tensor.numpy() for tensor in fed.values()])]

            return instance_of(case, call)

        def keep(folder: Path, _: tuple[torch.Tensor, ...]) -> None:
            (folder / "model.tflite").write_bytes(model)

        facts: Json = {"delegated": delegated(model, settings)} if delegate else {}
        return Program(start, facts, keep=keep)

    decomposed = {*fx_infra.decomp.pre_convert_decomp(), *fx_infra.decomp.pre_lower_decomp()}

    def knows(one: torch._ops.OpOverload) -> bool:
        return one in decomposed or registry.lookup(one) is not None

    hello = {
        **torch_hello(name, profile, "litert-torch", promises_identity=False),
        "dtypes": list(DTYPES),
        "ops": [*reachable(all_ops(), knows), "getitem"],
        "artifacts": True,
        "switches": declared(SWITCHES),
        **({"delegates": DELEGATED} if delegate else {}),
    }
    hello["versions"]["ai-edge-litert"] = version("ai-edge-litert")
    return System(lambda: hello, lambda request, stages: run_protocol(request, stages, build), REJECTIONS)
