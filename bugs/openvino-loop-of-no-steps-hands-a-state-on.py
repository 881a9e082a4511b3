"""A Loop of no steps that hands one state on as another."""

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

TEXT = """g (int64 x, int64 y) => (int64 p, int64 q) { t = Constant<value_int = 0>() d = Less(x, t) p, q = Loop(, d, x, y) <body = l (
    int64 i, bool f, int64 v, int64 w) => (bool e, int64 vv, int64 ww) {
        o = Constant<value_int = 1>() s = Constant<value_int = 0>() vv = Add(v, o) e = Less(vv, s) ww = BODY }> }"""
feed = {"x": np.array(5), "y": np.array(7)}
control = compare("a sum", 7, TEXT.replace("BODY", "Add(w, v)"), **feed)
bug = compare("the other state", 7, TEXT.replace("BODY", "Identity(v)"), **feed)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
