"""A Scan whose body makes a constant of each slice."""

import subprocess
import sys

import numpy as np
import onnx
import onnx.parser

TEXT = """g (float[1] x) => (float[1] z) {
    z = Scan<num_scan_inputs = 1, body = b (float e) => (float o) { o = BODY }>(x) }"""


def run(body):
    import openvino

    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + TEXT.replace("BODY", body))
    onnx.checker.check_model(model, full_check=True)
    core = openvino.Core()
    request = core.compile_model(core.read_model(model.SerializeToString()), "CPU").create_infer_request()
    request.infer([openvino.Tensor(np.array([3], dtype=np.float32))])
    print(np.array(request.get_output_tensor(0).data).tolist())


def compare(label, body, expected):
    """True if a process that runs the model prints what ONNX says."""
    done = subprocess.run([sys.executable, __file__, body], capture_output=True, text=True, check=False)
    ended = done.stdout.strip() or f"the process ends with signal {-done.returncode}"
    print(label, "| expected", expected, "| actual", ended, "|", "right" if ended == str(expected) else "WRONG")
    sys.stdout.flush()
    return ended == str(expected)


if len(sys.argv) > 1:
    run(sys.argv[1])
    sys.exit(0)
if not compare("the slice negated", "Neg(e)", [-3.0]):
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if compare("a constant", "Constant<value = float {7}>()", [7.0]) else 1)
