"""A Loop whose first condition is false when the model is read."""

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

BODY = """<body = l (int64 i, bool d, float v) => (bool e, float vv) { t = Constant<value_int = 1>() e = Less(i, t) vv = Neg(v) }>"""
x = np.array(5, dtype=np.float32)
control = compare("fed", 5, f"g (bool c, float x) => (float y) {{ y = Loop(, c, x) {BODY} }}", c=np.array(False), x=x)
TEXT = "g (float x) => (float y) { k = Constant<value_int = 0>() c = Less(k, k) y = Loop(, c, x) BODY }"
bug = compare("constant", 5, TEXT.replace("BODY", BODY), x=x)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
