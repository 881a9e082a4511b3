"""Elu of doubles is not imported: the converter's constants are of float32. Exit 1 where the bug shows."""

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


def compare(op, dtype, expected):
    """Whether TVM gives what ONNX says of op at -1 and 2."""
    name = {"float32": "float", "float64": "double"}.get(dtype, dtype)
    shape = "1,1,1,2" if op.startswith("LRN") else "2"
    x = np.array([-1, 2], dtype).reshape([int(size) for size in shape.split(",")])
    try:
        actual = run(f"g ({name}[{shape}] x) => ({name}[{shape}] y) {{ y = {op}(x) }}", x)
    except Exception as error:
        line = str(error).strip().splitlines()[0]
        print(op, "of", name, "| error:", line.split("However, ")[-1].split(" (Type")[0])
        return False
    right = actual.dtype == dtype and np.allclose(actual.ravel(), expected, rtol=1e-2 if dtype == "float16" else 1e-5)
    verdict = "right" if right else "WRONG"
    print(op, "of", name, "| expected", expected, "| actual", actual.ravel().tolist(), "|", verdict)
    return right


expected = {
    "Elu": [-0.6321205588, 2.0],
    "Selu": [-1.1113307378, 2.1014020443],
    "ThresholdedRelu": [0.0, 2.0],
    "LRN<size = 1>": [-0.9999250047, 1.9994002249],
}
if not all([compare(op, "float32", expected[op]) for op in expected]):
    print("the control must be right")
    sys.exit(2)
right = [compare(op, dtype, expected[op]) for op in expected for dtype in ("float64", "float16")]
sys.exit(0 if all(right) else 1)
