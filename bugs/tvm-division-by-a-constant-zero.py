"""A float divided by a constant 0 is inf or nan; TVM does not lower it. Exit 1 where the bug shows."""

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


def run(text, array):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    machine = relax.VirtualMachine(tvm.compile(from_onnx(model), target=tvm.target.Target("llvm")), tvm.cpu())
    return machine["main"](tvm.runtime.tensor(array)).numpy()


def compare(label, text, array, expected):
    """Whether TVM gives what ONNX says."""
    try:
        actual = run(text, np.array(array, "f4"))
    except Exception as error:
        print(label, "| error:", str(error).strip().splitlines()[0])
        return False
    right = actual.shape == np.shape(expected) and np.allclose(actual, expected, equal_nan=True)
    print(label, "| expected", expected, "| actual", actual.tolist(), "|", "right" if right else "WRONG")
    return right


variance = """g (float[{}] x) => (float v) <int64[1] axes = {{0}}, float n_minus_1 = {{{}}}> {{
    mean = ReduceMean(x, axes)
    distance = Sub(x, mean)
    squares = Mul(distance, distance)
    sum = ReduceSum<keepdims = 0>(squares, axes)
    v = Div(sum, n_minus_1)
}}"""
quotient = "g (float[2] x) => (float[2] y) <float{} c = {{{}}}> {{ y = Div(x, c) }}"
control = [compare("the variance of two", variance.format(2, 1), [3, 1], 2.0),
           compare("x / constant 2", quotient.format("", 2), [3, -1], [1.5, -0.5]),
           compare("x / constant [0]", quotient.format("[1]", 0), [3, -1], [np.inf, -np.inf])]
if not all(control):
    print("the control must be right")
    sys.exit(2)
right = [compare("the variance of one", variance.format(1, 0), [3], np.nan),
         compare("x / constant 0", quotient.format("", 0), [3, -1], [np.inf, -np.inf])]
sys.exit(0 if all(right) else 1)
