"""executorch-tosa: ExecuTorch's lowering to TOSA, run by the reference model of the TOSA specification.

ExecuTorch's runtime has no delegate for TOSA. The lowered program runs in Python instead, as in ExecuTorch's own tests:
what was not delegated on eager's kernels, each delegate in the reference model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from executorch.backends.arm.operator_support.tosa_profile_supported_op_lists import TOSA_PRO_FP_SupportList
from executorch.backends.arm.test.runner_utils import TosaReferenceModelDispatch
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner

from adapters.executorch.pipeline import delegates_of, make_system
from adapters.torch.case_module import Instance, live
from adapters.worker.loop import serve
from adapters.worker.system import Json, Rejection, System

# The message tells only where a slice ends. That its start lies inside of the dim was seen before: what ends inside of
# it too is refused for having no elements. An end behind the dim is another thing, and nobody's limit.
EMPTY_SLICES = "|".join(rf"{dim}\] but got ({'|'.join(map(str, range(dim + 1)))})" for dim in range(33))

# What TOSA 1.0's tables of operators leave out. The partitioner asks for no dtype and no size, and takes it.
REJECTIONS = (
    Rejection(
        r"^TosaValueError: (Unsupported dtype torch\.\w+ for [A-Z_]+\b"
        r"|TOSA spec \S+ doesn't support (torch\.)?\w+ for [A-Z_0-9]+\b|LOGICAL_NOT requires bool inputs)",
        "backends/arm/tosa/dialect/ops: dtypes that an operator takes, both named",
        stage="lower",
    ),
    Rejection(
        r"^ValueError: aten\.any\.dims?: Expected all tensors to have dtype DType\.\w+, but found inconsistent dtype",
        "backends/arm/operators/op_any.py: REDUCE_ANY takes booleans",
        stage="lower",
    ),
    Rejection(
        r"^TosaValueError: max_val must be greater than or equal to min_val",
        "backends/arm/tosa/dialect/ops/activation.py: CLAMP's bounds",
        stage="lower",
    ),
    Rejection(
        rf"^TosaValueError: Expected start \+ size values between \[0, ({EMPTY_SLICES})\b",
        "backends/arm/tosa/dialect/ops/data_layout_ops.py: TOSA has no dims of size 0",
        stage="lower",
    ),
    Rejection(
        r"^TosaValueError: Expected padding values to be non-negative, got ",
        "backends/arm/tosa/dialect/ops/data_layout_ops.py: PAD's amounts",
        stage="lower",
    ),
    Rejection(
        r"^AssertionError: index\.Tensor: None indices are not supported",
        "the message itself",
        stage="lower",
    ),
    Rejection(
        r"^AssertionError: Constant \S+ was tagged to be consumed by the buffer, .* currently not supported",
        "exir/backend/utils.py, the message itself: a new state that is an output too",
        stage="lower",
    ),
    Rejection(
        r"Tensor \S+ has invalid shape with dimension 0",
        "the reference model: TOSA has no dims of size 0",
        stage="run",
    ),
    Rejection(
        r"OpPow: x is less than 0",
        "the reference model: POW is not defined for a negative base; a root is a POW here",
        stage="run",
    ),
)


class FloatPartitioner(TOSAPartitioner):
    """The partitioner for TOSA's floating-point profile."""

    def __init__(self) -> None:
        super().__init__(TosaCompileSpec("TOSA-1.0+FP"))


class Dispatch(TosaReferenceModelDispatch):
    """Refuses by itself what the reference model refuses by ending the process."""

    def _tosa_dispatch(self, lowered_backend_module: Any, inputs: Any) -> Any:
        for node in lowered_backend_module.original_module.graph.nodes:
            value = node.meta.get("val")
            if isinstance(value, torch.Tensor) and 0 in value.shape:
                raise ValueError(f"Tensor {node.name} has invalid shape with dimension 0")
        return super()._tosa_dispatch(lowered_backend_module, inputs)


def run_in_reference_model(graph: Json, edge: Any) -> Callable[[], Instance]:
    """Instances of the edge program in Python. What would be emitted for the runtime is another program, with passes of
    its own."""
    module = edge.exported_program().module()

    def call(*inputs: torch.Tensor) -> Any:
        dispatch = Dispatch()
        dispatch.ran_tosa_dispatch = True  # a program without delegates is no error: the reply says how many there are
        with dispatch:
            return module(*inputs)

    return live(graph, module, identity=False, call=call)


def make(arguments: list[str]) -> System:
    where = f"{__name__}:{FloatPartitioner.__name__}"
    delegates = delegates_of(TOSA_PRO_FP_SupportList, ["f16", "f32"])
    return make_system(
        "executorch-tosa",
        arguments,
        where,
        run_edge=run_in_reference_model,
        delegates=delegates,
        profile="executorch-tosa",
        rejections=REJECTIONS,
    )


if __name__ == "__main__":
    serve(make)
