"""A mean with None for its dims is exported as a Reshape of an absent input. Exit 1 where the bug shows."""

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

    def forward(self, x):
        return self.f(x)


def shows(name, f):
    x = torch.tensor([1.0, 2.0])
    expected = f(x).tolist()
    model = torch.onnx.export(Module(f), (x,), dynamo=True, verbose=False).model_proto
    try:
        actual = ort.InferenceSession(model.SerializeToString()).run(None, {"x": x.numpy()})[0].tolist()
    except Exception as error:
        actual = f"{type(error).__name__}: {error}"
    print(f"{name}\n  exported     {[(node.op_type, list(node.input)) for node in model.graph.node]}")
    print(f"  eager        {expected}\n  ONNX Runtime {actual}")
    return expected != actual


bug = shows("mean(x, dim=None)", lambda x: torch.mean(x, dim=None))
control = shows("mean(x, dim=[0])", lambda x: torch.mean(x, dim=[0]))
control |= shows("mean(x)", lambda x: torch.mean(x))
sys.exit(2 if control else 1 if bug else 0)
