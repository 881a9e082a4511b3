"""Mod(a, b) with a broadcast a is computed as Mod(b, a): Mod is no commutative operator."""

import os
import sys
import tempfile

os.environ["RUST_BACKTRACE"] = "0"
import numpy as np
import onnx
import onnx.parser
import tract


def run(text, *arrays):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        runnable = tract.onnx().load(file.name).into_model().into_runnable()
    return [tensor.to_numpy() for tensor in runnable.run(list(arrays))]


def compare(label, text, arrays, expected):
    """True if what tract gives is what ONNX says."""
    try:
        actual = run(text, *arrays)[0]
        right = actual.shape == expected.shape and np.allclose(actual, expected, rtol=1e-6, atol=0)
        print(label, "| expected", expected.tolist(), "| actual", actual.tolist(), "|", "right" if right else "WRONG")
    except tract.TractError as error:
        right = False
        print(label, "| expected", expected.tolist(), "| error:", str(error).strip().splitlines()[-1].strip())
    sys.stdout.flush()
    return right


x, one, both = (np.array(data, dtype=np.int32) for data in ([2, 4], [7], [7, 7]))
text = "g (int32[{}] c, int32[2] x) => (int32[2] y) {{ y = Mod(c, x) }}"
control = compare("nothing broadcast", text.format(2), [both, x], np.mod(both, x))
if not control:
    print("the control must be right")
    sys.exit(2)
text_sub = "g (int32[1] c, int32[2] x) => (int32[2] y) { y = Sub(c, x) }"
if not compare("Sub, broadcast", text_sub, [one, x], one - x):
    print("the control must be right")
    sys.exit(2)
whole = compare("Mod, broadcast", text.format(1), [one, x], np.mod(one, x))
z = x.astype(np.float32)
text = "g (float[2] x) => (float[2] y) { c = Constant<value = float {7.0}>() y = Mod<fmod = 1>(c, x) }"
real = compare("Mod of a constant, floats", text, [z], np.fmod(np.float32(7), z))
sys.exit(0 if whole and real else 1)
