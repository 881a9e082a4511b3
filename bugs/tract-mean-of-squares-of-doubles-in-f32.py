"""The mean of squares of f64 is computed in f32: off by 1e-7, infinite for 1e30. Exit 1 where the bug shows."""

import os
import sys
import tempfile

os.environ["RUST_BACKTRACE"] = "0"
import numpy as np
import onnx
import onnx.parser
import tract


def run(text, *arrays):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        runnable = tract.onnx().load(file.name).into_model().into_runnable()
    return [tensor.to_numpy() for tensor in runnable.run(list(arrays))]


def compare(label, text, arrays, expected):
    """True if what tract gives is what ONNX says."""
    try:
        actual = run(text, *arrays)[0]
        right = actual.shape == expected.shape and np.allclose(actual, expected, rtol=1e-12, atol=0)
        print(label, "| expected", expected.tolist(), "| actual", actual.tolist(), "|", "right" if right else "WRONG")
    except tract.TractError as error:
        right = False
        print(label, "| expected", expected.tolist(), "| error:", str(error).strip().splitlines()[-1].strip())
    sys.stdout.flush()
    return right


x = np.array([0.1, 0.2, 0.3])
text = "g (double[3] x) => (double[1] y) <double n = {%s}> { a = Mul(x, x) s = ReduceSum(a) y = Div(s, n) }"
control = compare("sum of squares / 4", text % "4.0", [x], np.array([(x * x).sum() / 4]))
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if compare("sum of squares / 3", text % "3.0", [x], np.array([(x * x).sum() / 3])) else 1)
