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

def write(step):
    def f(x):
        v = x.unfold(0, 1, step)
        v.ne_(v)
        return x
    return f
two = lambda: [torch.tensor([0.0, 1.0])]
def control_step(x):
    v = x.unfold(0, 1, 1)
    v.mul_(2)
    return x
bug, control = wrong("unfold(0, 1, 2), gaps", write(2), two), wrong("control: unfold(0, 1, 1), no gaps", control_step, two)

sys.exit(2 if control else int(bug))
