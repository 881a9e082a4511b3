"""A product with a reciprocal, of a value that is returned through an Identity."""

import sys

import numpy as np
import onnx
import onnx.parser
import onnxruntime


def run(text, **feed):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model.SerializeToString(), options).run(None, feed)


def compare(label, expected, text, **feed):
    """True if the last result is what ONNX says."""
    expected = np.array(expected)
    try:
        actual = np.asarray(run(text, **feed)[-1])
        right = actual.shape == expected.shape and np.allclose(actual, expected, rtol=1e-5, atol=1e-6)
        print(label, "| expected", expected.tolist(), "| actual", actual.tolist(), "|", "right" if right else "WRONG")
    except Exception as error:
        right = False
        print(label, "| expected", expected.tolist(), "| error:", str(error).strip().splitlines()[-1].strip()[:120])
    sys.stdout.flush()
    return right

TEXT = """g (float[2] x, float[2] w) => (float[2] y, float[2] e) <float o = {1}> {
    p = Neg(x) y = BODY(p) d = Div(o, w) e = Mul(p, d) }"""
feed = {"x": np.array([1, 2], dtype=np.float32), "w": np.array([2, 4], dtype=np.float32)}
control = compare("Abs", [-0.5, -0.5], TEXT.replace("BODY", "Abs"), **feed)
bug = compare("Identity", [-0.5, -0.5], TEXT.replace("BODY", "Identity"), **feed)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
