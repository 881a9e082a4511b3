import sys, warnings; warnings.filterwarnings("ignore")
import torch
from executorch.exir import to_edge, EdgeCompileConfig
from executorch.extension.pybindings.portable_lib import _load_for_executorch_from_buffer as load

class Model(torch.nn.Module):
    def __init__(self, f): super().__init__(); self.f = f
    def forward(self, x): return self.f(x)

def wrong(label, f):
    x = torch.arange(6.0).reshape(2, 3)
    model = Model(f)
    expected = f(x).clone()
    edge = to_edge(torch.export.export(model, (x,), strict=False), compile_config=EdgeCompileConfig(_check_ir_validity=False))
    try:
        buffer = edge.to_executorch().buffer  # what is loaded does not keep it
        actual = load(buffer).run_method("forward", (x,))[0]
    except RuntimeError as error:
        print(f"{label}: expected {expected.tolist()} actual raises {error}")
        return True
    print(f"{label}: expected {expected.tolist()} actual {actual.tolist()}")
    return not torch.equal(expected, actual)

bug = wrong("bug", lambda x: torch.as_strided(x[1:], (2, 2), (1, 1), 0))
control = wrong("control", lambda x: torch.as_strided(x, (2, 2), (1, 1), 0))
sys.exit(2 if control else int(bug))
