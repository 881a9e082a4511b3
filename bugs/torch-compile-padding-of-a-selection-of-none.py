"""A padded masked_select ends the process where the mask selects nothing. Exit 1 where the bug shows."""

import subprocess
import sys

PROGRAM = """
import logging, sys, warnings
warnings.filterwarnings("ignore"); logging.disable(logging.WARNING)
import torch
torch._dynamo.config.capture_dynamic_output_shape_ops = True
pad = lambda k: torch.nn.functional.pad(k, (1, 0), value=0.5)
f = {"case": lambda x: pad(torch.masked_select(x, x > 0)), "control": pad}[sys.argv[1]]
compiled = torch.compile(f, fullgraph=True, dynamic=None if sys.argv[1] == "case" else False)
for x in {"case": [[1.0, -2.0, 3.0], [-1.0, -2.0, -3.0]], "control": [[1.0, 3.0], []]}[sys.argv[1]]:
    x = torch.tensor(x)
    print(sys.argv[1], x.tolist(), "| expected", f(x).tolist(), "| actual ", end="", flush=True)
    print(compiled(x).tolist(), "|", "right" if torch.equal(f(x), compiled(x)) else "WRONG", flush=True)
"""


def right(which):
    done = subprocess.run([sys.executable, "-c", PROGRAM, which], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    print(done.stdout.rstrip("\n") + (f"the process ended with {done.returncode} | WRONG" if done.returncode else ""))
    return done.returncode == 0 and "WRONG" not in done.stdout


if not right("control"):
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if right("case") else 1)
