"""Mod (fmod=0) has the sign of the divisor; of values that a Cast made int64, tract's has that of the dividend."""

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


x, z = np.array([-7, 7], dtype=np.int32), np.array([3, -3], dtype=np.int32)
expected = np.mod(x, z)  # ONNX: with fmod=0 the sign is the divisor's
control = compare("Mod of int64 inputs", "g (int64[2] x, int64[2] z) => (int64[2] y) { y = Mod(x, z) }",
                  [x.astype(np.int64), z.astype(np.int64)], expected.astype(np.int64))
if not control:
    print("the control must be right")
    sys.exit(2)
text = "g (int32[2] x, int32[2] z) => (int32[2] y) { p = Cast<to = 7>(x) q = Cast<to = 7>(z) r = Mod(p, q) y = Cast<to = 6>(r) }"
sys.exit(0 if compare("Mod of casts to int64", text, [x, z], expected) else 1)
