"""where a result is a copy of an input, the delegate reads the result's memory in place of the input"""
import contextlib, io, logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
from executorch.backends.openvino.partitioner import OpenvinoPartitioner
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.exir.backend.backend_details import CompileSpec
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

class Model(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *xs):
        return self.f(*xs)


def run(f, inputs):
    program = torch.export.export(Model(f), inputs, strict=False)
    config = EdgeCompileConfig(_check_ir_validity=False)
    partitioner = OpenvinoPartitioner([CompileSpec("device", b"CPU")])
    with contextlib.redirect_stdout(io.StringIO()):  # the partitioner prints what it leaves out
        edge = to_edge_transform_and_lower(program, partitioner=[partitioner], compile_config=config)
    assert any("executorch_call_delegate" in str(node.target) for node in edge.exported_program().graph.nodes)
    buffer = edge.to_executorch().buffer  # what is loaded does not keep it
    return [x.clone() for x in _load_for_executorch_from_buffer(buffer).run_method("forward", inputs)]


def shows(name, f, inputs):
    expected = f(*[x.clone() for x in inputs])
    expected = list(expected) if isinstance(expected, (tuple, list)) else [expected]
    print(name)
    print("  expected (eager):", [x.tolist() for x in expected])
    actual = run(f, tuple(inputs))
    print("  actual:          ", [x.tolist() for x in actual])
    return not all(torch.equal(a, e) for a, e in zip(actual, expected, strict=True))


x = torch.tensor([1.0, 2.0, 4.0])
control = shows("control", lambda x: (x * 1, x + 1), (x,))
bug = shows("case", lambda x: (x.clone(), x + 1), (x,))
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
