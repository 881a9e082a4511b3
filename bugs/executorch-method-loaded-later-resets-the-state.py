"""a method that is loaded after another one ran writes the first data of the buffers that they share again"""
import sys, warnings, logging
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.passes import MemoryPlanningPass
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from executorch.runtime import Runtime


class Add(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.tensor([1.0, 2.0]))

    def forward(self, x):
        return self.state.add_(x)


ten = torch.tensor([10.0, 10.0])
hundred = torch.tensor([100.0, 100.0])
exported = {name: torch.export.export(Add(), (ten,), strict=False) for name in ("forward", "decode")}
config = ExecutorchBackendConfig(
    passes=[InitializedMutableBufferPass(["state"])],
    memory_planning_pass=MemoryPlanningPass(share_mutable_buffers=True),
)
blob = to_edge(exported).to_executorch(config).buffer


def run(name, load_first):
    program = Runtime.get().load_program(blob)
    if load_first:
        program.load_method("decode")
    program.load_method("forward").execute([ten])
    actual = program.load_method("decode").execute([hundred])[0].tolist()
    print(f"{name}: expected [111.0, 112.0], actual {actual}")
    return actual != [111.0, 112.0]


control = run("control, both methods loaded before the first call", True)
bug = run("case, decode loaded after forward ran", False)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
