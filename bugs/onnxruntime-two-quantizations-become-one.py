"""Two pairs of QuantizeLinear and DequantizeLinear by different scales."""

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

TEXT = """g (float[3] x) => (float[3] y) <float s = {0.25}, float t = {SECOND}, int8 z = {0}> {
    a = QuantizeLinear(x, s, z) b = DequantizeLinear(a, s, z) c = QuantizeLinear(b, t, z) y = DequantizeLinear(c, t, z) }"""
feed = {"x": np.array([0.1, 0.9, 3.3], dtype=np.float32)}
control = compare("0.25 twice", [0, 1, 3.25], TEXT.replace("SECOND", "0.25"), **feed)
bug = compare("0.25 and 0.5", [0, 1, 3], TEXT.replace("SECOND", "0.5"), **feed)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
