"""A program that writes a buffer without elements, which has an initial state, does not load or run. Exit 1 where the bug shows."""

import logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
from executorch.exir import EdgeCompileConfig, ExecutorchBackendConfig, to_edge_transform_and_lower
from executorch.exir.passes.init_mutable_pass import InitializedMutableBufferPass
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer


class Model(torch.nn.Module):
    def __init__(self, f, **buffers):
        super().__init__()
        self.f = f
        for name, value in buffers.items():
            self.register_buffer(name, value)

    def forward(self, *xs):
        return self.f(*xs, **dict(self.named_buffers()))


def run(model, inputs, initial):
    program = torch.export.export(model, inputs, strict=False)
    edge = to_edge_transform_and_lower(program, partitioner=[], compile_config=EdgeCompileConfig(_check_ir_validity=False))
    passes = [InitializedMutableBufferPass(["s1"])] if initial else []
    buffer = edge.to_executorch(ExecutorchBackendConfig(passes=passes)).buffer  # what is loaded does not keep it
    return _load_for_executorch_from_buffer(buffer).run_method("forward", inputs)[0]


def shows(name, model, *inputs, initial=True):
    expected = model(*inputs)
    print(name)
    print("  expected (eager):", expected.tolist())
    try:
        actual = run(model, inputs, initial)
    except Exception as error:
        print("  actual:          ", type(error).__name__, (str(error).strip().splitlines() or [""])[0][:200])
        return True
    print("  actual:          ", actual.tolist())
    return actual.shape != expected.shape or not torch.allclose(actual, expected, equal_nan=True)


def written(x, s1):
    s1.neg_()
    return x.neg()


x = torch.tensor([1.0])
control = shows("control: a buffer without elements that is only read", Model(lambda x, s1: torch.cat([x.neg(), s1.neg()]), s1=torch.empty(0)), x)
control |= shows("control: a written buffer of one element", Model(written, s1=torch.ones(1)), x)
bug = shows("case: a written buffer without elements", Model(written, s1=torch.empty(0)), x)
shows("the same without InitializedMutableBufferPass", Model(written, s1=torch.empty(0)), x, initial=False)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
