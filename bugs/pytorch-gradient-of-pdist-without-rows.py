"""The gradient of pdist of no rows divides by zero, which kills the process. Exit 1 where the bug shows."""
import subprocess
import sys

PROGRAM = """
import torch

x = torch.zeros({0}, 1, requires_grad=True)
y = torch.nn.functional.pdist(x)
print(y.tolist(), torch.autograd.grad(y.sum(), x)[0].tolist())
"""


def dies(rows):
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(rows)], capture_output=True, text=True)
    print(f"{rows} rows:", done.stdout.strip() or f"signal {-done.returncode}")
    return done.returncode != 0


bug = dies(0)
if dies(1) or dies(2):
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
