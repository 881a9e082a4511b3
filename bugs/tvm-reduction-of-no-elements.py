"""ONNX: a reduction over an empty set yields its neutral element (ReduceSum 0, ReduceProd 1). TVM gives memory that nobody wrote."""

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
text = "g (float[{0}] x) => (float[1] y) <int64[1] a = {{0}}> {{ y = Reduce{1}(x, a) }}"
control = compare("ReduceProd of one", text.format(1, "Prod"), [np.array([3], f32)], np.array([3], f32))
if not control:
    print("the control must be right")
    sys.exit(2)
many = "g (float[{0},3] x) => (float[3] y) <int64[1] a = {{0}}> {{ y = Reduce{1}<keepdims = 0>(x, a) }}"
junk = [np.full((64, 64), 7, f32) for _ in range(8)]  # so that freed memory is not 0
for one in junk:
    tvm.runtime.tensor(one)
none = np.empty(0, f32)
right = [compare("ReduceProd of none", text.format(0, "Prod"), [none], np.ones(1, f32)),
         compare("ReduceSum of none", text.format(0, "Sum"), [none], np.zeros(1, f32)),
         compare("ReduceProd of 0 x 3", many.format(0, "Prod"), [none.reshape(0, 3)], np.ones(3, f32))]
sys.exit(0 if all(right) else 1)
