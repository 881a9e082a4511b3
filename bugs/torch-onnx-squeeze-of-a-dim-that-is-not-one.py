import io, sys, warnings, logging
warnings.filterwarnings("ignore"); logging.disable(logging.CRITICAL)
import numpy as np, torch, onnxruntime as ort
class M(torch.nn.Module):
    def __init__(self, f): super().__init__(); self.f = f
    def forward(self, x): return self.f(x)
def run(f, x):
    want = f(x)
    program = torch.onnx.export(M(f), (x,), dynamo=True, verbose=False)
    try:
        s = ort.InferenceSession(program.model_proto.SerializeToString())
        got = s.run(None, {s.get_inputs()[0].name: x.numpy()})[0]
    except Exception as e: return want.tolist(), type(e).__name__ + ": " + str(e)[:200]
    return want.tolist(), got.tolist()
bad = run(lambda x: torch.squeeze(x, -1), torch.tensor([1., 2.])); good = run(lambda x: torch.squeeze(x, -1), torch.tensor([[1.], [2.]]))
print("bug     expected, actual:", *bad); print("control expected, actual:", *good)
if good[0] != good[1]:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(bad[0] != bad[1])
