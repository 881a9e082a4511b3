import sys, warnings; warnings.filterwarnings("ignore")
import torch

def wrong(label, f, make):
    mine, theirs = make(), make()
    torch._dynamo.reset()
    expected = f(*mine).tolist(), [one.tolist() for one in mine]
    try:
        out = torch.compile(f, backend="aot_eager", fullgraph=True)(*theirs)
        actual = out.tolist(), [one.tolist() for one in theirs]
    except Exception as error:
        actual = f"raises {type(error).__name__}: {str(error).splitlines()[0][:150]}"
    print(f"{label}: (result, inputs after) expected {expected} actual {actual}")
    return expected != actual

def f(x, y):
    x.mul_(2)
    z = y * 1
    return x.unfold(0, 1, 1)
def shared():
    m = torch.arange(12.0)
    return m[6:10].view(4, 1), m[0:8:2]
def apart(): return torch.arange(6.0, 10.0).view(4, 1), torch.arange(4.0)
bug, control = wrong("x and y on one storage", f, shared), wrong("control: memory of their own", f, apart)

sys.exit(2 if control else int(bug))
