"""A model with two Ifs."""

import os
import sys
import tempfile

os.environ["RUST_BACKTRACE"] = "0"
import numpy as np
import onnx
import onnx.parser
import tract


def run(text, **feed):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        runnable = tract.onnx().load(file.name).into_model().into_runnable()
    return [tensor.to_numpy() for tensor in runnable.run(list(feed.values()))]


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

IF = """NAME = If(p) <then_branch = tNAME () => (float[2] aNAME) { aNAME = Neg(x) },
                  else_branch = eNAME () => (float[2] bNAME) { bNAME = Abs(x) }>"""
feed = {"p": np.array(True), "x": np.array([1, -2], dtype=np.float32)}
one, two = IF.replace("NAME", "y"), IF.replace("NAME", "z")
control = compare("one If", [-1, 2], f"g (bool p, float[2] x) => (float[2] y) {{ {one} }}", **feed)
bug = compare("two Ifs", [-1, 2], f"g (bool p, float[2] x) => (float[2] y, float[2] z) {{ {one} {two} }}", **feed)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
