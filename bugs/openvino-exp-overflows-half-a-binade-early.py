"""Exp of numbers from 88.3763 to 88.7228, whose exponential is a finite float32. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
import onnx.parser
import openvino


def run(text, *arrays):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    core = openvino.Core()
    options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    request = core.compile_model(core.read_model(model.SerializeToString()), "CPU", options).create_infer_request()
    request.infer({value.name: openvino.Tensor(array) for value, array in zip(model.graph.input, arrays)})
    return np.array(request.get_output_tensor(0).data)


def compare(label, text, x):
    """True if the result is the exponential, which numpy has in f64."""
    expected = np.exp(x.astype(np.float64)).astype(np.float32)
    actual = run(text, x)
    right = actual.shape == expected.shape and np.allclose(actual, expected, rtol=1e-4, atol=0)
    print(label, "of", x.tolist(), "\n  expected", expected.tolist(), "\n  actual  ", actual.tolist(), "|", "right" if right else "WRONG")
    sys.stdout.flush()
    return right


EXP = "g (float[3] x) => (float[3] y) { y = Exp(x) }"
POW = "g (float[3] x) => (float[3] y) <float e = {2.7182817}> { y = Pow(e, x) }"
low = np.array([88, 88.37, 88.376], np.float32)
high = np.array([88.38, 88.5, 88.7], np.float32)
control = compare("Exp", EXP, low)
control &= compare("Pow of e", POW, high)
bug = compare("Exp", EXP, high)
if not control:
    print("the controls must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
