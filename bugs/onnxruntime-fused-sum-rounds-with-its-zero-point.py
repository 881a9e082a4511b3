"""A sum that is quantized with an odd zero point."""

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

TEXT = """g (uint8[4] x, uint8[4] v) => (uint8[4] y) <float s = {1}, uint8 z = {0}, float t = {2}, uint8 w = {ZERO}> {
    a = DequantizeLinear(x, s, z) b = DequantizeLinear(v, s, z) c = Add(a, b) y = QuantizeLinear(c, t, w) }"""
feed = {"x": np.array([1, 3, 5, 7], dtype=np.uint8), "v": np.zeros(4, dtype=np.uint8)}
control = compare("zero point 10", [10, 12, 12, 14], TEXT.replace("ZERO", "10"), **feed)
bug = compare("zero point 11", [11, 13, 13, 15], TEXT.replace("ZERO", "11"), **feed)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
