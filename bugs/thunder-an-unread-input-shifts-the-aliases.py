import sys, types, warnings, logging
warnings.filterwarnings("ignore"); logging.disable(logging.CRITICAL)
import torch
for n in ("align_as", "align_to", "has_names", "refine_names", "rename"):  # removed in torch 2.13, listed by thunder at import
    if not hasattr(torch.Tensor, n):
        m = eval("lambda *a: None"); m.__name__ = n; m.__module__ = torch.Tensor.__module__; setattr(torch.Tensor, n, m)
import thunder
def bug(x, y, z):
    y.neg_(); return z + 0
def control(x, y, z):
    y.neg_(); return (z + 0) + 0 * x.sum()
def bug_args():
    m = torch.tensor([1., 2.]); return m, m.view(2), torch.tensor([5., 6.])
control_args = bug_args

def run(f, make, jit):
    args = make()
    try: out = (thunder.jit(f, **jit) if jit is not None else f)(*args)
    except Exception as e: return type(e).__name__ + ": " + str(e).splitlines()[0][:160]
    return out.tolist(), [a.tolist() for a in args]
wrong = {}
for name, f, make in (("bug", bug, bug_args), ("control", control, control_args)):
    want = run(f, make, None); got = run(f, make, {})
    print(name, "expected", want); print(name, "thunder ", got, "" if got == want else "<-- WRONG")
    wrong[name] = got != want
    if name == "bug": print("bug with skip_inplace_alias_updates=True", run(f, make, {"skip_inplace_alias_updates": True}))
if wrong["control"]:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if wrong["bug"] else 0)
