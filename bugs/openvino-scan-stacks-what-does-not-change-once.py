"""A Scan whose body reads no slice."""

import sys

import numpy as np
import onnx
import onnx.parser
import openvino


def run(text, **feed):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    request.infer({name: openvino.Tensor(array) for name, array in feed.items()})
    return [np.array(request.get_output_tensor(i).data) for i in range(len(compiled.outputs))]


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

TEXT = """g (float[2] s, float[2] x) => (float[2] y, float[2,2] z) {
    y, z = Scan<num_scan_inputs = 1,
                body = b (float[2] v, float e) => (float[2] w, float[2] o) { w = Identity(v) o = BODY }>(s, x) }"""
feed = {"s": np.array([1, 2], dtype=np.float32), "x": np.array([3, 4], dtype=np.float32)}
control = compare("the state and the slice", [[4, 5], [5, 6]], TEXT.replace("BODY", "Add(v, e)"), **feed)
bug = compare("the state", [[1, 2], [1, 2]], TEXT.replace("BODY", "Identity(v)"), **feed)
NEXT = """g (float[2] s, float[3] x) => (float[2] y) {
    y = Scan<num_scan_inputs = 1, body = b (float[2] v, float e) => (float[2] w) { w = BODY }>(s, x) }"""
feed["x"] = np.array([3, 4, 5], dtype=np.float32)
control &= compare("a state plus the slice", [13, 14], NEXT.replace("BODY", "Add(v, e)"), **feed)
bug &= compare("a state plus itself", [8, 16], NEXT.replace("BODY", "Add(v, v)"), **feed)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
