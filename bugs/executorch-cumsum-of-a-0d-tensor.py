"""cumsum over dim 0 of a 0-d tensor fails at run time: the dim is checked against the range from 0 to -1"""
import sys, warnings, logging
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

class Model(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *xs):
        return self.f(*xs)


def run(f, inputs):
    program = torch.export.export(Model(f), inputs, strict=False)
    edge = to_edge_transform_and_lower(program, partitioner=[], compile_config=EdgeCompileConfig(_check_ir_validity=False))
    buffer = edge.to_executorch().buffer  # what is loaded does not keep it
    return list(_load_for_executorch_from_buffer(buffer).run_method("forward", inputs))


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


control = shows("control", lambda x: x.cumsum(0), (torch.tensor([3.0]),))
bug = shows("case", lambda x: x.cumsum(0), (torch.tensor(3.0),))
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
