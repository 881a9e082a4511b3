"""Celu is max(0, x) + min(0, alpha (exp(x / alpha) - 1)); tract leaves the factor alpha out."""

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


x = np.array([-2, 1], dtype=np.float32)
right = []
for alpha in (1.0, 2.0):
    text = f"g (float[2] x) => (float[2] y) {{ y = Celu<alpha: float = {alpha}>(x) }}"
    expected = np.where(x > 0, x, alpha * (np.exp(x / alpha) - 1)).astype(np.float32)
    right.append(compare(f"alpha {alpha}", text, [x], expected))
if not right[0]:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if right[1] else 1)
