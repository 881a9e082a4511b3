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

def filled(x):
    x.expand(2).fill_(0)
    return x
def viewed(x):
    x.view(1).fill_(0)
    return x
one = lambda: [torch.tensor(1.0)]
bug, control = wrong("expand", filled, one), wrong("control: view", viewed, one)

sys.exit(2 if control else int(bug))
