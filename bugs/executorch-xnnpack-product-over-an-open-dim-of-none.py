"""bmm of x of float[1,2,B] and y of float[1,B,2] fails where B is 0. Exit 1 where the bug shows."""

import logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer


class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.bmm(x, y)


def shows(name, traced, shapes, *feeds):
    """Whether one of these calls of the program that is lowered for `traced` is wrong."""
    wrong = False
    try:
        program = torch.export.export(Model(), traced, dynamic_shapes=shapes, strict=False)
        edge = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()], compile_config=EdgeCompileConfig(_check_ir_validity=False))
        config = ExecutorchBackendConfig(sym_shape_eval_pass=ConstraintBasedSymShapeEvalPass())
        buffer = edge.to_executorch(config).buffer
        loaded = _load_for_executorch_from_buffer(buffer)
    except Exception as error:
        print(name, "|", type(error).__name__, str(error).strip().splitlines()[0], "| WRONG")
        return True
    for feed in feeds:
        expected = [tuple(Model()(*feed).shape)]
        try:
            actual = [tuple(result.shape) for result in loaded.run_method("forward", feed)]
        except Exception as error:
            actual = str(error).strip().splitlines()[0]
        print(name, [tuple(x.shape) for x in feed], "| expected sizes", expected, "| actual", actual, "|", "right" if actual == expected else "WRONG")
        wrong = wrong or actual != expected
    return wrong


two, none = (torch.ones(1, 2, 2), torch.ones(1, 2, 2)), (torch.ones(1, 2, 0), torch.ones(1, 0, 2))
B = torch.export.Dim("B", min=0, max=2)
control = shows("B of 0, stated", none, None, none)
bug = shows("B", two, ({2: B}, {1: B}), two, none)
if control:
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if bug else 0)
