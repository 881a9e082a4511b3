"""ONNX gives Selu's default alpha as 1.67326319217681884765625 and gamma as 1.05070102214813232421875; tract has 1.67326 and 1.0507."""

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


x = np.array([1000, 1], dtype=np.float32)
gamma = np.float32(1.05070102214813232421875)
text = "g (float[2] x) => (float[2] y) {{ y = Selu{}(x) }}"
control = compare("gamma given", text.format("<gamma: float = 1.05070102214813232421875>"), [x], gamma * x)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if compare("gamma by default", text.format(""), [x], gamma * x) else 1)
