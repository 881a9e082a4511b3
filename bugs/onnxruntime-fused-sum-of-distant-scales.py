"""A sum of two quantized tensors with distant scales."""

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

TEXT = """g (uint8[2] x, uint8[2] v) => (uint8[2] y)
    <float s = {SCALE}, uint8 z = {128}, float t = {0.0078125}, float r = {0.5}, uint8 w = {7}> {
    a = DequantizeLinear(x, s, z) b = DequantizeLinear(v, t, z) c = Add(a, b) y = QuantizeLinear(c, r, w) }"""
feed = {"x": np.array([128, 128], dtype=np.uint8), "v": np.array([128, 250], dtype=np.uint8)}
control = compare("scale 1", [7, 9], TEXT.replace("SCALE", "1"), **feed)
bug = compare("scale 1e6", [7, 9], TEXT.replace("SCALE", "1000000"), **feed)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
