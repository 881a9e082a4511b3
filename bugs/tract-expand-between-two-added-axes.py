"""An Expand between a Squeeze and an Unsqueeze repeats along the wrong dim: 1, 1, 2, 2 for 1, 2, 1, 2. Exit 1 where the bug shows."""

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


expected = np.array([[[[1, 2], [1, 2]]]], dtype=np.float32)
tail = "b = Expand(a, e) c = Unsqueeze(b, i) }"
control = compare("Expand, Unsqueeze", "g (float[2] a) => (float[1,1,2,2] c) <int64[3] e = {1, 2, 2}, int64[1] i = {1}> { " + tail, [np.array([1, 2], dtype=np.float32)], expected)
if not control:
    print("the control must be right")
    sys.exit(2)
text = "g (float[2,1] x) => (float[1,1,2,2] c) <int64[3] e = {1, 2, 2}, int64[1] i = {1}> { a = Squeeze(x, i) " + tail
sys.exit(0 if compare("Squeeze, Expand, Unsqueeze", text, [np.array([[1], [2]], dtype=np.float32)], expected) else 1)
