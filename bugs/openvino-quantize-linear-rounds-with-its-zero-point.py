"""QuantizeLinear by 0.5 at ties, with an odd zero point."""

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

TEXT = "g (float[4] x) => (int8[4] y) <float s = {0.5}, int8 z = {ZERO}> { y = QuantizeLinear(x, s, z) }"
# Quotients 0.5, 2.5, -0.5 and 1.5, which are 0, 2, 0 and 2 to even.
feed = {"x": np.array([0.25, 1.25, -0.25, 0.75], dtype=np.float32)}
control = compare("2", [2, 4, 2, 4], TEXT.replace("ZERO", "2"), **feed)
bug = compare("1", [1, 3, 1, 3], TEXT.replace("ZERO", "1"), **feed)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
