"""coreml: Core ML Tools' conversion of an exported program. Only a Mac predicts with the result, so that is all.

What is saved is a .mlpackage, for audits: whether an output is also the source of a state update, for one.
"""

from __future__ import annotations

import logging
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import NoReturn

import coremltools
import torch
from coremltools.converters import _converters_entry
from coremltools.converters.mil.frontend.torch.torch_op_registry import _TORCH_OPS_REGISTRY
from torch.export import ExportedProgram

from adapters.audit.mlpackage import audit
from adapters.torch.case_module import all_ops, case_module, run_protocol, torch_hello
from adapters.torch.export_speed import speed_up
from adapters.torch.limits import EXPORT_REJECTIONS
from adapters.worker.loop import serve
from adapters.worker.switches import parse
from adapters.worker.system import Json, NotRunError, Rejection, Stages, System, UnsupportedError

REJECTIONS = (
    Rejection(
        r"^NotImplementedError: (PyTorch convert function for op|Unsupported fx node)",
        "Core ML Tools' guide, composite operators: an op without a conversion is named in this error",
        stage="convert",
    ),
    Rejection(
        r"^ValueError: .*(dtype|data type).* (is )?not supported",
        "Core ML Tools' guide, typed execution: inputs and outputs are f16, f32 and i32",
        stage="convert",
    ),
    Rejection(
        r"^ValueError: Op .* expects tensor or scalar of dtype from type domain",
        "Core ML Tools' API reference, MIL ops: each lists the dtypes it takes; the message names op, input and dtypes",
        stage="convert",
    ),
    Rejection(
        r"^ValueError: In op, of type \w+, named .*, the named input .* must have the same data type",
        "Core ML Tools' API reference, MIL ops: operands of one dtype; the message names op and inputs",
        stage="convert",
    ),
    Rejection(
        r"^(NotImplementedError: (rounding mode .* not supported|Only offset == "
        r"|recompute_scale_factor = .* is not supported for the upsample op)"
        r"|ValueError: (divisor_override is not supported|(ADD|SUB) does not support scale factor"
        r"|pad must be non-negative|Convolution with dynamic weights does not support dilations"
        r"|\('Op .* Input \w+ must be const at compile time'))",
        "the message itself: an argument that the conversion does not take",
        stage="convert",
    ),
    Rejection(
        r"^NotImplementedError: The `bitwise_\w+` op only supports boolean input",
        "coremltools' frontend/torch/ops.py and its own test, which expects it",
        stage="convert",
    ),
    Rejection(
        r"^AssertionError: coremltools lowering does not handle/bind value at index \d+",
        "coremltools' frontend/torch/ops.py: the further results of native norms are bound to nothing on purpose",
        stage="convert",
    ),
    Rejection(
        r"^AssertionError: The input data and indices should have the same size at axis \d+, but got \d+ vs \d+",
        "Core ML Tools' API reference, gather_along_axis: the indices' sizes are the data's, but for the axis",
        stage="convert",
    ),
    Rejection(
        r"^ValueError: The `alpha` value \(.*\) should be smaller than `beta` value \(.*\) in `clip` op",
        "the message itself: a hardtanh whose min is above its max",
        stage="convert",
    ),
    Rejection(
        r"^ValueError: Core ML only supports tensors with rank <= 5\b",
        "the message itself",
        stage="convert",
    ),
    Rejection(
        r"Core ML cannot handle user input mutation",
        "the message itself: inputs are immutable, state is what may be written",
        stage="convert",
    ),
    Rejection(
        r"Core ML does not have general support for non-contiguous dim order",
        "the message itself",
        stage="convert",
    ),
    *EXPORT_REJECTIONS,
)


# Core ML Tools has a conversion by these names, but PyTorch's decompositions turn them into what it has none for.
BECOMES_UNKNOWN = frozenset(
    {"aten.alias", "aten.detach", "aten.trunc", "aten.fix", "aten.frac", "aten.diagonal_scatter", "aten.lift_fresh"}
)


def became_unknown(op: str) -> bool:
    return op.rsplit(".", 1)[0].rstrip("_") in BECOMES_UNKNOWN


def without_elements(exported: ExportedProgram) -> bool:
    """Whether a tensor in the program has no elements, which Core ML does not have: its reshape reads a 0 as a size of
    the operand, and the conversion of cat leaves such operands out, as "CoreML does not allow such empty tensor"."""
    made = (node.meta.get("val") for node in exported.graph.nodes)
    tensors = (value for values in made for value in (values if isinstance(values, (list, tuple)) else (values,)))
    return any(isinstance(value, torch.Tensor) and value.numel() == 0 for value in tensors)


class SizesError(Exception):
    """The converted program says other sizes of its outputs than PyTorch does."""


def compare_sizes(exported: ExportedProgram, model: coremltools.models.MLModel) -> None:
    """No run is needed to see these: the program carries the sizes that its own type inference came to."""
    made = {node.name: node.meta["val"] for node in exported.graph.nodes if "val" in node.meta}
    expected = [made.get(name) for name in exported.graph_signature.user_outputs]
    actual = model._mil_program.functions["main"].outputs
    if len(expected) != len(actual):  # values that are returned twice are one output
        return
    for i, (wanted, got) in enumerate(zip(expected, actual, strict=True)):
        if not isinstance(wanted, torch.Tensor) or (wanted.dim() == 0 and tuple(got.shape) == (1,)):
            continue  # an array at the boundary has a dim at least
        if tuple(wanted.shape) != tuple(got.shape):
            raise SizesError(f"output {i} has sizes {list(got.shape)} in the program, {list(wanted.shape)} in PyTorch")


def leave_garbage_to_python() -> None:
    """convert() collects all garbage at its end, which took a quarter of a small case's time. Python does so by itself
    as it adds up.
    """
    _converters_entry.gc = SimpleNamespace(collect=lambda: 0)


def make_system(arguments: list[str]) -> System:
    parse(arguments, ())
    op_scan = speed_up()
    leave_garbage_to_python()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)

    def build(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> NoReturn:
        op_scan.renew()
        with stages("export"), torch.no_grad():
            exported = torch.export.export(case_module(graph), inputs, strict=False).run_decompositions()
        if without_elements(exported):
            raise UnsupportedError("Core ML has no tensors without elements (coremltools, frontend/torch/ops.py, cat)")
        with stages("convert"):
            model = coremltools.convert(
                exported,
                minimum_deployment_target=coremltools.target.iOS18,  # the first with state
                compute_precision=coremltools.precision.FLOAT32,
                skip_model_load=True,
            )
            compare_sizes(exported, model)

        def save(path: Path) -> None:
            model.save(str(path))

        raise NotRunError("converted; only a Mac predicts with it", {"format": "mlpackage"}, save, audit)

    hello = torch_hello("coreml", "eager", "coremltools")
    hello["dtypes"] = ["bool", "i32", "f16", "f32"]
    # What it has no conversion for by name may still decompose into what it has: nobody can say before it is tried.
    hello["ops"] = [*(op for op in all_ops() if _TORCH_OPS_REGISTRY.get_func(op) and not became_unknown(op)), "getitem"]
    hello |= {"written_inputs": False, "strided_sources": False, "artifacts": True}
    return System(lambda: hello, lambda request, stages: run_protocol(request, stages, build), REJECTIONS)


if __name__ == "__main__":
    serve(make_system)
