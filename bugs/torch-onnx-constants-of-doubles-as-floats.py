"""A number beside an f64 tensor goes through f32: x + 0.1 is off by 1.5e-9. Exit 1 where the bug shows."""

import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import onnxruntime as ort
import torch


class Module(torch.nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f = f

    def forward(self, *inputs):
        return self.f(*inputs)


def shows(name, f, *inputs):
    expected = f(*inputs)
    program = torch.onnx.export(Module(f), inputs, dynamo=True, verbose=False)
    session = ort.InferenceSession(program.model_proto.SerializeToString())
    actual = session.run(None, {slot.name: x.numpy() for slot, x in zip(session.get_inputs(), inputs)})[0]
    print(f"{name}\n  eager        {expected.tolist()}\n  ONNX Runtime {actual.tolist()}")
    return expected.tolist() != actual.tolist()


x = torch.ones(1, dtype=torch.float64)
bug = shows("x + 0.1", lambda x: x + 0.1, x)
control = shows("x + 0.125", lambda x: x + 0.125, x)
sys.exit(2 if control else 1 if bug else 0)
