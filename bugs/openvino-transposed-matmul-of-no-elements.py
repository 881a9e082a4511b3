"""A MatMul by a transposed operand does not compile where a 0 is among the sizes. Exit 1 where the bug shows."""

import sys

import numpy as np
import openvino
from onnx import checker, parser


def shows(x, y, body="t = Transpose <perm = [1, 0]> (y) z = MatMul (x, t)"):
    expected = x @ (y.T if "Transpose" in body or "transB" in body else y)
    text = f"g (float[{x.shape[0]},{x.shape[1]}] x, float[{y.shape[0]},{y.shape[1]}] y) => (float[{expected.shape[0]},{expected.shape[1]}] z) {{ {body} }}"
    model = parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    checker.check_model(model, full_check=True)
    print(f"{body}, x of {list(x.shape)}, y of {list(y.shape)}: expected {expected.tolist()}", end=", ")
    try:
        compiled = openvino.Core().compile_model(openvino.Core().read_model(model.SerializeToString(), b""), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    except RuntimeError as error:
        print("error:", str(error).strip().splitlines()[-1])
        return True
    actual = next(iter(compiled([x, y]).values()))
    print("actual", actual.tolist())
    return actual.shape != expected.shape or not np.array_equal(actual, expected)


def made(*sizes):
    return np.arange(1, 1 + np.prod(sizes), dtype=np.float32).reshape(sizes)


bug = shows(made(1, 0), made(1, 0))
shows(made(2, 0), made(3, 0))
shows(made(0, 2), made(3, 2))
shows(made(2, 0), made(3, 0), "z = Gemm <transB = 1> (x, y)")
if shows(made(1, 2), made(3, 2)) or shows(made(2, 0), made(0, 3), "z = MatMul (x, y)"):
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
