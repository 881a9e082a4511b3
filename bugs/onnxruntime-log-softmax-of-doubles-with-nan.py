"""LogSoftmax of doubles gives 46 beside a NaN. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
import onnxruntime
from onnx import parser


def wrong(op, dtype, x):
    name = {np.float32: "float", np.float64: "double"}[dtype]
    model = parser.parse_model(
        f'<ir_version: 9, opset_import: ["" : 20]> g ({name}[{len(x)}] x) => ({name}[{len(x)}] y) {{ y = {op} <axis = 0> (x) }}'
    )
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    x = dtype(x)
    actual = session.run(None, {"x": x})[0]
    exponents = np.exp(x - np.max(x))
    expected = np.log(exponents / exponents.sum()) if op == "LogSoftmax" else exponents / exponents.sum()
    print(f"{op} of {x.tolist()}, {np.dtype(dtype)}: expected {expected.tolist()}, actual {actual.tolist()}")
    return not np.allclose(actual, expected, equal_nan=True)


row = [0, np.nan, 1]
bug = wrong("LogSoftmax", np.float64, row)
control = wrong("LogSoftmax", np.float32, row)
control |= wrong("Softmax", np.float64, row)
control |= wrong("LogSoftmax", np.float64, [0, 0.5, 1])
sys.exit(2 if control else 1 if bug else 0)
