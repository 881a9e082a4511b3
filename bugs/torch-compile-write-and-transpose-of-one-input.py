import sys, warnings, logging
warnings.filterwarnings("ignore"); logging.disable(logging.CRITICAL)
import torch
torch.set_num_threads(1)
A = torch.ops.aten
def bug(x):
    v = x.view(4); A.mul_(x, 2); A.transpose_(x, 0, 1); return v
def control(x):
    v = x.view(4); A.mul_(x, 2); A.transpose(x, 0, 1); return v
bug_args = control_args = lambda: (torch.tensor([[1., 2.], [3., 4.]]),)

def run(f, make, backend):
    torch._dynamo.reset()
    args = make()
    with torch.no_grad():
        if backend is None:
            out = f(*args)
        else:
            try: out = torch.compile(f, backend=backend, fullgraph=True, dynamic=False)(*args)
            except Exception as e: return type(e).__name__ + ": " + str(e).splitlines()[0][:160]
    return out.tolist(), [(a.tolist(), a.stride()) for a in args]
wrong = {}
for name, f, make in (("bug", bug, bug_args), ("control", control, control_args)):
    want = run(f, make, None)
    print(name, "expected", want)
    for backend in ("eager", "aot_eager", "inductor"):
        got = run(f, make, backend)
        print(name, backend, got, "" if got == want else "<-- WRONG")
        wrong[name] = wrong.get(name, False) or got != want
if wrong["control"]:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if wrong["bug"] else 0)
