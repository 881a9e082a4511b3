"""A MatMul of a matrix without rows by a vector fails at run time. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnxruntime as ort
from onnx import parser


def fails(label, sizes):
    left, right, result = sizes
    model = parser.parse_model(
        f'<ir_version: 9, opset_import: ["" : 20]> g (float{left} x, float{right} y) => (float{result} z) {{ z = MatMul (x, y) }}'
    )
    options = ort.SessionOptions()
    options.log_severity_level = 4
    x, y = np.ones(left, np.float32), np.ones(right, np.float32)
    try:
        actual = ort.InferenceSession(model.SerializeToString(), options).run(None, {"x": x, "y": y})[0]
    except Exception as error:  # its own class of errors is not public
        print(label, "expected sizes", np.matmul(x, y).shape, "actual", str(error).partition("Status Message: ")[2] or error)
        return True
    print(label, "expected sizes", np.matmul(x, y).shape, "actual", actual.shape)
    return actual.shape != np.matmul(x, y).shape


bug = fails("[0, 3] by [3]:", ([0, 3], [3], [0]))
bug |= fails("[2, 0, 3] by [3]:", ([2, 0, 3], [3], [2, 0]))
control = fails("control, [0, 3] by [3, 1]:", ([0, 3], [3, 1], [0, 1]))
control |= fails("control, [1, 3] by [3]:", ([1, 3], [3], [1]))
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
