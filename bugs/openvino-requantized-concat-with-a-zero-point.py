"""A concatenation that is quantized, dequantized and quantized again, with a zero point. A crash: each in a process of its own."""

import subprocess
import sys

import numpy as np
import onnx
import onnx.parser
import openvino

TEXT = """g (float[2,2] x, float[2,2] v) => (int8[4,2] y) <float s = {0.5}, int8 z = {ZERO}> {
    a = Concat<axis = 0>(x, v) b = QuantizeLinear(a, s, z) c = DequantizeLinear(b, s, z) y = QuantizeLinear(c, s, z) }"""


def run(zero):
    text = '<ir_version: 9, opset_import: ["" : 20]> ' + TEXT.replace("ZERO", zero)
    model = onnx.parser.parse_model(text)
    onnx.checker.check_model(model, full_check=True)
    core = openvino.Core()
    request = core.compile_model(core.read_model(model.SerializeToString()), "CPU").create_infer_request()
    x = np.array([[1, 2], [3, 4]], dtype=np.float32)
    request.infer({"x": openvino.Tensor(x), "v": openvino.Tensor(-x)})
    print(np.array(request.get_output_tensor(0).data).tolist())


def compare(zero):
    """True if the process ends well and prints what ONNX says."""
    expected = [[row * 2 + int(zero) for row in pair] for pair in ([1, 2], [3, 4], [-1, -2], [-3, -4])]
    done = subprocess.run([sys.executable, __file__, zero], capture_output=True, text=True)
    actual = done.stdout.strip() if done.returncode == 0 else f"the process ends with signal {-done.returncode}"
    right = actual == str(expected)
    print(f"zero point {zero} | expected {expected} | actual {actual} |", "right" if right else "WRONG")
    return right


if len(sys.argv) > 1:
    run(sys.argv[1])
else:
    control = compare("0")
    bug = compare("2")
    if not control:
        print("the control must be right")
        sys.exit(2)
    sys.exit(0 if bug else 1)
