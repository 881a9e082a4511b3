"""tinygrad 0.14.0: TinyJit keeps a result that is a view of an input: from the third call on it has the values of the second."""
import os
import shutil
import sys

os.environ.update(DEV="CPU:CLANG", CACHELEVEL="0", NUM_CPU_THREADS="1")
os.environ.setdefault("CC", shutil.which("clang") or "clang-19")
import numpy as np
from tinygrad import Tensor, TinyJit


def wrong(label, function, jit=True):
    call = TinyJit(function) if jit else function
    for i in range(4):  # the first call warms up, the second is captured, the others are replayed
        x = np.arange(4, dtype=np.float32) + 10 * i
        actual = [t.numpy().tolist() for t in call(Tensor(x).realize())]
    expected = [x[1:3].tolist(), (x + 1).tolist()]
    print(f"{label}: expected {expected}, actual {actual}: {'right' if actual == expected else 'WRONG'}")
    return actual != expected


bug = wrong("a slice", lambda x: (x[1:3], x + 1))
bug |= wrong("a slice, contiguous", lambda x: (x[1:3].contiguous().realize(), x + 1))
control = wrong("control, without TinyJit", lambda x: (x[1:3], x + 1), jit=False)
control |= wrong("control, a clone of the slice", lambda x: (x[1:3].clone(), x + 1))
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
