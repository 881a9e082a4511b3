"""tinygrad 0.14.0: with the X86 renderer a where of f64 by a comparison of f32 takes the branch by bit 63 of a mask of 32 bits."""
import os
import shutil
import subprocess
import sys

PROGRAM = """
import numpy as np
from tinygrad import Tensor
x = Tensor(np.array([-1, 1, -1, 1], np.{0})).realize()
y, z = (Tensor(np.array(v, np.{1})).realize() for v in ([1, 2, 3, 4], [5, 6, 7, 8]))
print((x < 0).where(y, z).numpy().tolist())
"""
EXPECTED = "[1.0, 6.0, 3.0, 8.0]"


def wrong(label, renderer, x, branches):
    env = dict(os.environ, DEV=f"CPU:{renderer}", CACHELEVEL="0", NUM_CPU_THREADS="1")
    env.setdefault("CC", shutil.which("clang") or "clang-19")
    done = subprocess.run([sys.executable, "-c", PROGRAM.format(x, branches)], env=env, capture_output=True, text=True)
    actual = done.stdout.strip() or (f"signal {-done.returncode}" if done.returncode < 0 else done.stderr.strip()[-300:])
    print(f"{label}: expected {EXPECTED}, actual {actual}: {'right' if actual == EXPECTED else 'WRONG'}")
    return actual != EXPECTED


bug = wrong("X86, f32 < 0 chooses f64", "X86", "float32", "float64")
bug |= wrong("X86, f16 < 0 chooses f64", "X86", "float16", "float64")
control = wrong("control, CLANG, f32 < 0 chooses f64", "CLANG", "float32", "float64")
control |= wrong("control, X86, f64 < 0 chooses f64", "X86", "float64", "float64")
control |= wrong("control, X86, f32 < 0 chooses f32", "X86", "float32", "float32")
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
