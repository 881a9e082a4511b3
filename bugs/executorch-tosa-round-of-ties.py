"""Round takes ties away from zero, and 0.49999997 to 1: it is floor(x + 0.5). Exit 1 where the bug shows."""

import sys, warnings, logging
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
from executorch.backends.arm.test.runner_utils import TosaReferenceModelDispatch


class Model(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *xs):
        return self.f(*xs)


def run(f, inputs):
    program = torch.export.export(Model(f), inputs, strict=False)
    edge = to_edge_transform_and_lower(program, partitioner=[TOSAPartitioner(TosaCompileSpec('TOSA-1.0+FP'))], compile_config=EdgeCompileConfig(_check_ir_validity=False))
    module = edge.exported_program().module()
    dispatch = TosaReferenceModelDispatch()
    dispatch.ran_tosa_dispatch = True
    with dispatch:
        out = module(*[x.clone() for x in inputs])
    return list(out) if isinstance(out, (tuple, list)) else [out]


def shows(name, f, inputs):
    expected = f(*[x.clone() for x in inputs])
    expected = list(expected) if isinstance(expected, (tuple, list)) else [expected]
    print(name)
    print("  expected (eager):", [x.tolist() for x in expected])
    try:
        actual = run(f, tuple(inputs))
    except Exception as error:
        print("  actual:", type(error).__name__, (str(error).strip().splitlines() or [""])[-1][:200])
        return True
    print("  actual:          ", [x.tolist() for x in actual])
    return any(a.dtype != e.dtype or a.shape != e.shape or not (torch.allclose(a, e, equal_nan=True) if e.is_floating_point() else torch.equal(a, e)) for a, e in zip(actual, expected, strict=True))


control = shows("control", torch.round, (torch.tensor([0.75, 2.25, -2.75, 1.5]),))
bug = shows("case", torch.round, (torch.tensor([0.5, 2.5, -2.5, 0.49999997]),))
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
