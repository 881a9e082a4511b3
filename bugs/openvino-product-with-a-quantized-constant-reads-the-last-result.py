"""A product with a quantized constant, run three times."""

import sys

import numpy as np
import onnx
import onnx.parser
import openvino


def runs(text, feeds):
    """The last result of each run, by one request."""
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    results = []
    for feed in feeds:
        request.infer({name: openvino.Tensor(array) for name, array in feed.items()})
        results.append(float(request.get_output_tensor(0).data))
    return results


def compare_runs(label, expected, text, feeds):
    """True if every run gives what ONNX says."""
    actual = runs(text, feeds)
    right = np.allclose(actual, expected)
    print(label, "| expected", expected, "| actual", actual, "|", "right" if right else "WRONG")
    return right


TEXT = """g (float x) => (float y) <float w = {1}, float s = {0.25}, uint8 z = {ZERO}> {
    a = QuantizeLinear(w, s, z) b = DequantizeLinear(a, s, z) y = Mul(b, x) }"""
feeds = [{"x": np.array(x, dtype=np.float32)} for x in (1, -0.5, 2)]
control = compare_runs("zero point 0", [1, -0.5, 2], TEXT.replace("ZERO", "0"), feeds)
bug = compare_runs("zero point 130", [1, -0.5, 2], TEXT.replace("ZERO", "130"), feeds)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
