"""As_strided of a view counts its offset from the view, which is a tensor of its own in ONNX, where PyTorch counts from the start of the storage. Exit 1 where the bug shows."""

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


x = torch.arange(4.0)
bug = shows("of a slice", lambda x: torch.as_strided_copy(x[1:3], [2], [1], 0), x)
control = shows("of an input", lambda x: torch.as_strided_copy(x, [2], [1], 1), x)
sys.exit(2 if control else 1 if bug else 0)
