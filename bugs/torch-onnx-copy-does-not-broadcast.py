"""Copy is an Identity of its source, which is not broadcast to the sizes of its destination. Exit 1 where the bug shows."""

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


copy = torch.ops.aten.copy.default
bug = shows("one number into three", lambda x, y: copy(x, y), torch.ones(3), torch.tensor(2.0))
control = shows("three numbers into three", lambda x, y: copy(x, y), torch.ones(3), torch.full((3,), 2.0))
sys.exit(2 if control else 1 if bug else 0)
