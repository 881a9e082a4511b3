"""A MatMul with an operand that is an Expand does not load, or aborts where the summed dim is expanded. Exit 1 where the bug shows."""

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
        print(label, "| expected", expected.tolist(), "| error:", [line.strip() for line in str(error).splitlines() if line.strip() and "ModelPatch" not in line][-1])
    sys.stdout.flush()
    return right


x, w = np.array([[2], [5]], dtype=np.float32), np.array([[3]], dtype=np.float32)
wide = np.array([[3, 3, 3]], dtype=np.float32)
if not compare("no Expand", "g (float[2,1] x, float[1,3] w) => (float[2,3] y) { y = MatMul(x, w) }", [x, wide], x @ wide):
    print("the control must be right")
    sys.exit(2)
text = "g (float[2,1] x, float[1,1] w) => (float[2,3] y) <int64[2] e = {1, 3}> { a = Expand(w, e) y = MatMul(x, a) }"
right = compare("w expanded from [1,1] to [1,3]", text, [x, w], x @ wide)
child = os.fork()
if child == 0:
    x, w = np.array([[2, 3], [5, 7]], dtype=np.float32), np.array([[1, 2, 3]], dtype=np.float32)
    text = "g (float[2,2] x, float[1,3] w) => (float[2,3] y) <int64[2] e = {2, 3}> { a = Expand(w, e) y = MatMul(x, a) }"
    os._exit(0 if compare("w expanded from [1,3] to [2,3]", text, [x, w], x @ np.vstack([w, w])) else 1)
status = os.waitpid(child, 0)[1]
if os.WIFSIGNALED(status):
    print("w expanded from [1,3] to [2,3] | the process died of signal", os.WTERMSIG(status))
sys.exit(0 if right else 1)
