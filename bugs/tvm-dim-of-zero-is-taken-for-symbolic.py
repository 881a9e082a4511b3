"""An input whose size is stated to be 0 is imported as one of unknown size, and a Concat with a constant of size 0 then fails. Exit 1 where the bug shows."""

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


x = np.zeros((0, 2), np.float32)
both = np.zeros((0, 4), np.float32)
model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> g (float[0,2] x) => (float[0,2] y) { y = Identity(x) }')
print("x of float[0,2] is imported as", from_onnx(model)["main"].params[0].ty)
control = compare("two inputs", "g (float[0,2] x, float[0,2] w) => (float[0,4] y) { y = Concat<axis = 1>(x, w) }", [x, x], both)
if not control:
    print("the control must be right")
    sys.exit(2)
text = "g (float[0,2] x) => (float[0,4] y) <float[0,2] w = {}> { y = Concat<axis = 1>(x, w) }"
sys.exit(0 if compare("an input and a constant", text, [x], both) else 1)
