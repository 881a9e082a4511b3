"""The gradient of sgn of a variance kills the process while it is traced (SIGSEGV): sgn's gradient is a ZeroTensor, which has no memory, and what is traced of var's formula reads it. Exit 1 where the bug shows."""

import subprocess
import sys

PROGRAM = """
import torch

def f(x):
    return x.var(0).{0}()

x = torch.tensor([1.0, 3.0], requires_grad=True)
print(*(torch.autograd.grad(g(x), x)[0].tolist() for g in (f, torch.compile(f, backend="{1}"))), flush=True)
"""


def dies(function, backend):
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(function, backend)], capture_output=True, text=True)
    print(f"{function}, {backend}:", done.stdout.strip() or f"signal {-done.returncode}")
    return done.returncode != 0


bug = dies("sgn", "aot_eager") and dies("sgn", "inductor")
if dies("sign", "aot_eager"):
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
