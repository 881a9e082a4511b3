"""LayerNormalization's outputs Mean and InvStdDev are 0-d zeros."""

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
    made = machine["main"](*(tvm.runtime.tensor(array) for array in arrays))
    return [one.numpy() for one in ([made] if isinstance(made, tvm.runtime.Tensor) else made)]


def compare(label, text, arrays, expected):
    """True if what TVM gives is what ONNX says, all outputs of it."""
    expected = expected if isinstance(expected, list) else [expected]
    try:
        actual = run(text, *arrays)
    except Exception as error:
        print(label, "| error:", str(error).strip().splitlines()[0])
        return False
    right = all(a.shape == e.shape and np.allclose(a, e, rtol=1e-4, atol=1e-6) for a, e in zip(actual, expected, strict=True))
    lists = [[one.tolist() for one in many] for many in (expected, actual)]
    print(label, "| expected", *lists[0], "| actual", *lists[1], "|", "right" if right else "WRONG")
    return right


f32 = np.float32
x, ones = np.array([[1, 3], [2, 8]], f32), np.ones(2, f32)
mean, rest = x.mean(1, keepdims=True), x.var(1, keepdims=True) + f32(1e-5)
y = (x - mean) / np.sqrt(rest)
control = compare("y alone", "g (float[2,2] x, float[2] s) => (float[2,2] y) { y = LayerNormalization(x, s) }", [x, ones], y)
if not control:
    print("the control must be right")
    sys.exit(2)
text = "g (float[2,2] x, float[2] s) => (float[2,2] y, float[2,1] m, float[2,1] i) { y, m, i = LayerNormalization(x, s) }"
sys.exit(0 if compare("all three", text, [x, ones], [y, mean, 1 / np.sqrt(rest)]) else 1)
