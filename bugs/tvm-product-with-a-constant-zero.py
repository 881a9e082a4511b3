"""Infinity and NaN times a constant 0, and 0 divided by 0, are NaN; TVM gives 0. Exit 1 where the bug shows."""

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


def run(text, *arrays):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    machine = relax.VirtualMachine(tvm.compile(from_onnx(model), target=tvm.target.Target("llvm")), tvm.cpu())
    return machine["main"](*[tvm.runtime.tensor(array) for array in arrays]).numpy()


def compare(label, text, expected, *arrays):
    """Whether TVM gives what ONNX says."""
    actual = run(text, *arrays)
    right = np.array_equal(actual, expected, equal_nan=True)
    print(label, "| expected", expected, "| actual", actual.tolist(), "|", "right" if right else "WRONG")
    return right


nan, x, y = np.nan, np.array([np.inf, np.nan, 2], "f8"), np.array([0, np.nan, 2], "f8")
constant = "g (double[3] x) => (double[3] y) <{}> {{ y = {} }}"
controls = [
    compare("x times 1", constant.format("double k = {1}", "Mul(x, k)"), [np.inf, nan, 2.0], x),
    compare("x times [0]", constant.format("double[1] k = {0}", "Mul(x, k)"), [nan, nan, 0.0], x),
    compare("x times an input of 0", "g (double[3] x, double k) => (double[3] y) { y = Mul(x, k) }", [nan, nan, 0.0], x, np.array(0, "f8")),
    compare("[0] divided by x", constant.format("double[1] k = {0}", "Div(k, x)"), [nan, nan, 0.0], y),
]
if not all(controls):
    print("the control must be right")
    sys.exit(2)
results = [
    compare("x times 0", constant.format("double k = {0}", "Mul(x, k)"), [nan, nan, 0.0], x),
    compare("0 times x", constant.format("double k = {0}", "Mul(k, x)"), [nan, nan, 0.0], x),
    compare("0 divided by x", constant.format("double k = {0}", "Div(k, x)"), [nan, nan, 0.0], y),
]
sys.exit(0 if all(results) else 1)
