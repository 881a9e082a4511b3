"""A sum with a constant up to 1e-8 becomes its operand, whatever its size: x + 1e-9 is x. Exit 1 where the bug shows."""

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
    return not torch.allclose(expected, torch.tensor(actual), rtol=1e-6, atol=0)


x = torch.tensor([1e-10])
bug = shows("x + 1e-9", lambda x: x + 1e-9, x)
control = shows("x + 1e-6", lambda x: x + 1e-6, x)
sys.exit(2 if control else 1 if bug else 0)
