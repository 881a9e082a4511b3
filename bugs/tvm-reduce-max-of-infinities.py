"""The maximum of negative infinities is -inf; TVM starts from the smallest finite number and gives that."""

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
inf = np.inf
text = "g (float[2] x) => (float[1] y) <int64[1] a = {{0}}> {{ y = Reduce{}(x, a) }}"
control = compare("ReduceMax -inf, -3", text.format("Max"), [np.array([-inf, -3], f32)], np.array([-3], f32))
if not control:
    print("the control must be right")
    sys.exit(2)
right = [compare("ReduceMax -inf, -inf", text.format("Max"), [np.array([-inf, -inf], f32)], np.array([-inf], f32)),
         compare("ReduceMin inf, inf", text.format("Min"), [np.array([inf, inf], f32)], np.array([inf], f32))]
sys.exit(0 if all(right) else 1)
