"""executorch-tosa: ExecuTorch's lowering to TOSA, run by the reference model of the TOSA specification.

ExecuTorch's runtime has no delegate for TOSA. The lowered program runs in Python instead, as in ExecuTorch's own tests:
what was not delegated on eager's kernels, each delegate in the reference model.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from executorch.backends.arm.test.runner_utils import TosaReferenceModelDispatch
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner

from executorch_path import make_system
from torch_case import Instance, live
from worker import Json, Stages, serve


class FloatPartitioner(TOSAPartitioner):
    """The partitioner for TOSA's floating-point profile."""

    def __init__(self) -> None:
        super().__init__(TosaCompileSpec("TOSA-1.0+FP"))


def run_in_reference_model(graph: Json, edge: Any, _: Any, __: Stages) -> Callable[[], Instance]:
    """Instances of the edge program in Python."""
    module = edge.exported_program().module()

    def call(*inputs: torch.Tensor) -> Any:
        dispatch = TosaReferenceModelDispatch()
        dispatch.ran_tosa_dispatch = True  # a program without delegates is no error: the reply says how many there are
        with dispatch:
            return module(*inputs)

    return live(graph, module, identity=False, call=call)


if __name__ == "__main__":
    where = f"{__name__}:{FloatPartitioner.__name__}"
    serve(lambda arguments: make_system("executorch-tosa", arguments, where, run=run_in_reference_model))
