"""a buffer that is written through more than one call is taken into the delegate as a constant, and what is written is lost"""
import contextlib, io, logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
from executorch.backends.openvino.partitioner import OpenvinoPartitioner
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.backend.backend_details import CompileSpec
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer

class Model(torch.nn.Module):
    def __init__(self, write):
        super().__init__()
        self.write = write
        self.register_buffer("state", torch.tensor([2.0, 3.0]))

    def forward(self, x):
        self.write(self.state)
        return self.state * x


def run(write, x):
    program = torch.export.export(Model(write), (x,), strict=False)
    config = EdgeCompileConfig(_check_ir_validity=False)
    partitioner = OpenvinoPartitioner([CompileSpec("device", b"CPU")])
    with contextlib.redirect_stdout(io.StringIO()):  # the partitioner prints what it leaves out
        edge = to_edge_transform_and_lower(program, partitioner=[partitioner], compile_config=config)
    assert any("executorch_call_delegate" in str(node.target) for node in edge.exported_program().graph.nodes)
    # The pass keeps what a buffer begins with.
    buffer = edge.to_executorch(ExecutorchBackendConfig(passes=[InitializedMutableBufferPass(["state"])])).buffer
    loaded = _load_for_executorch_from_buffer(buffer)
    return [loaded.run_method("forward", (x,))[0].tolist() for _ in range(3)]


def shows(name, write):
    x = torch.tensor([1.0, 10.0])
    model = Model(write)
    expected = [model(x).tolist() for _ in range(3)]
    print(name)
    print("  expected (eager), three calls:", expected)
    actual = run(write, x)
    print("  actual:                       ", actual)
    return actual != expected


control = shows("control", lambda state: state.mul_(2))
bug = shows("case", lambda state: state.mul_(2).add_(1))
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
