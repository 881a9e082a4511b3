"""Gemm of double with beta fails: beta is an f32 constant there."""

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
        right = actual.shape == expected.shape and np.allclose(actual, expected, rtol=1e-6, atol=0)
        print(label, "| expected", expected.tolist(), "| actual", actual.tolist(), "|", "right" if right else "WRONG")
    except tract.TractError as error:
        right = False
        print(label, "| expected", expected.tolist(), "| error:", str(error).strip().splitlines()[-1].strip())
    sys.stdout.flush()
    return right


x = np.array([[1, 2], [3, 4]], dtype=np.float64)
text = "g (double[2,2] x) => (double[2,2] y) {{ y = Gemm<{}: float = 2.0>(x, x, x) }}"
control = compare("alpha 2", text.format("alpha"), [x], 2 * (x @ x) + x)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if compare("beta 2", text.format("beta"), [x], x @ x + 2 * x) else 1)
