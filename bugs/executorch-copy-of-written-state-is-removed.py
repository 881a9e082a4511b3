"""a copy of a buffer, or of an input, that is written later is removed, and shows what is written"""
import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)
import torch
from executorch.exir import ExecutorchBackendConfig, to_edge
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer


class Buffer(torch.nn.Module):
    """Returns what the state was before this call."""

    def __init__(self, copy):
        super().__init__()
        self.register_buffer("state", torch.tensor([1.0, 2.0]))
        self.copy = copy

    def forward(self, x):
        before = self.copy(self.state)
        self.state.mul_(x)
        return before


class Input(torch.nn.Module):
    def __init__(self, copy):
        super().__init__()
        self.copy = copy

    def forward(self, x):
        before = self.copy(x)
        x.mul_(2)
        return before


def run(name, module):
    def given():
        return (torch.tensor([3.0, 4.0]),)

    program = to_edge(torch.export.export(module, given(), strict=False))
    passes = [InitializedMutableBufferPass([buffer for buffer, _ in module.named_buffers()])]
    blob = program.to_executorch(ExecutorchBackendConfig(passes=passes)).buffer
    actual = _load_for_executorch_from_buffer(blob).run_method("forward", given())[-1].tolist()
    with torch.no_grad():
        expected = module(*given()).tolist()
    print(f"{name}: expected {expected}, actual {actual}")
    return actual != expected


def to_copy(tensor):
    return tensor.to(torch.float32, copy=True)


control = run("control, a clone of a buffer", Buffer(torch.clone))
control |= run("control, a cast of a buffer to another dtype", Buffer(lambda tensor: tensor.to(torch.float64)))
bug = run("case, a copy of a buffer", Buffer(to_copy))
bug |= run("case, a copy of an input", Input(to_copy))
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
