"""An If whose branches read what is cast to i32 and back."""

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

IF = """y = If(c) <then_branch = t () => (bool[4] p) { p = Identity(a) },
              else_branch = e () => (bool[4] q) { q = Identity(a) }>"""
feed = {"x": np.array([1, 0, 1, 0], dtype=bool), "c": np.array(False)}
control = compare("Not", [0, 1, 0, 1], f"g (bool[4] x, bool c) => (bool[4] y) {{ a = Not(x) {IF} }}", **feed)
CASTS = "i = Cast<to = 6>(x) a = Cast<to = 9>(i)"
bug = compare("two Casts", [1, 0, 1, 0], f"g (bool[4] x, bool c) => (bool[4] y) {{ {CASTS} {IF} }}", **feed)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
