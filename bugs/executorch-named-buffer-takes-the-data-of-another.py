"""a mutable buffer that is emitted by name, and holds the same bytes as a constant, starts with the data of another buffer"""
import sys, warnings, logging
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer


class Model(torch.nn.Module):
    def __init__(self, constant):
        super().__init__()
        self.register_buffer("w", torch.tensor(constant))
        self.register_buffer("s", torch.tensor([7.0, 7.0]))
        self.register_buffer("t", torch.tensor([1.0, 2.0]))

    def forward(self, x):
        self.s.add_(x)
        return -self.w, self.t.add_(x)


def run(name, constant):
    x = torch.tensor([10.0, 20.0])
    edge = to_edge(torch.export.export(Model(constant), (x,), strict=False))
    config = ExecutorchBackendConfig(
        passes=[InitializedMutableBufferPass(["w", "s", "t"])], emit_mutable_buffer_names=True
    )
    blob = edge.to_executorch(config).buffer
    actual = _load_for_executorch_from_buffer(blob).run_method("forward", (x,))[1].tolist()
    print(f"{name}: expected [11.0, 22.0], actual {actual}")
    return actual != [11.0, 22.0]


control = run("control, a constant of other numbers", [1.0, 3.0])
bug = run("case, a constant of the same numbers", [1.0, 2.0])
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
