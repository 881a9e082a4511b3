"""Add of float[B,2] and float[C,2] does not compile. Exit 1 where the bug shows."""

import os
import sys
import warnings

os.environ["TVM_NUM_THREADS"] = "1"
warnings.simplefilter("ignore")
import numpy as np
import onnx
import onnx.parser
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx


def run(text, *runs):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    machine = relax.VirtualMachine(tvm.compile(from_onnx(model), target=tvm.target.Target("llvm")), tvm.cpu())
    return [machine["main"](*map(tvm.runtime.tensor, arrays)).numpy() for arrays in runs]


def compare(label, text, runs, expected):
    """Whether all runs give what ONNX says."""
    try:
        actual = run(text, *runs)
    except Exception as error:
        lines = [line for line in str(error).splitlines() if "error: " in line] or str(error).strip().splitlines()
        print(label, "| error:", lines[0][:160])
        return False
    right = all(a.shape == e.shape and np.allclose(a, e) for a, e in zip(actual, expected, strict=True))
    print(label, "| expected", [e.tolist() for e in expected], "| actual", [a.tolist() for a in actual], "|", "right" if right else "WRONG")
    return right


x = np.arange(6, dtype="f4").reshape(3, 2)
if not compare("both of B rows", "g (float[B,2] x, float[B,2] y) => (float[B,2] z) { z = Add(x, y) }", [(x, x)], [x + x]):
    print("the control must be right")
    sys.exit(2)
wrong = not compare("of B and C rows", "g (float[B,2] x, float[C,2] y) => (float[D,2] z) { z = Add(x, y) }", [(x, x), (x[:1], x)], [x + x, x[:1] + x])
wrong |= not compare("of B and 3 rows", "g (float[B,2] x, float[3,2] y) => (float[3,2] z) { z = Add(x, y) }", [(x, x), (x[:1], x)], [x + x, x[:1] + x])
sys.exit(1 if wrong else 0)
