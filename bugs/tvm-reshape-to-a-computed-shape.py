"""Reshape of float[B,4] to [B,2,2], where B comes of Shape, is not imported. Exit 1 where the bug shows."""

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


x = np.arange(12, dtype="f4").reshape(3, 4)
if not compare("to [-1,2,2]", "g (float[B,4] x) => (float[B,2,2] y) <int64[3] t = {-1,2,2}> { y = Reshape(x, t) }", [(x,)], [x.reshape(3, 2, 2)]):
    print("the control must be right")
    sys.exit(2)
computed = "g (float[B,4] x) => (float[B,2,2] y) <int64[1] i = {0}, int64[2] r = {2,2}> { s = Shape(x) b = Gather(s, i) t = Concat<axis = 0>(b, r) y = Reshape(x, t) }"
sys.exit(0 if compare("to [B,2,2] by Shape, Gather and Concat", computed, [(x,)], [x.reshape(3, 2, 2)]) else 1)
