"""ONNX: pads may be negative, which removes. tract takes the pad for unsigned, and the process aborts."""

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


x = np.array([1, 2, 3], dtype=np.float32)
text = "g (float[3] x) => (float[{}] y) {{ p = Constant<value_ints = [1, {}]>() y = Pad(x, p) }}"
control = compare("pads 1, 1", text.format(5, 1), [x], np.array([0, 1, 2, 3, 0], dtype=np.float32))
if not control:
    print("the control must be right")
    sys.exit(2)
child = os.fork()
if child == 0:
    right = compare("pads 1, -1", text.format(3, -1), [x], np.array([0, 1, 2], dtype=np.float32))
    os._exit(0 if right else 1)
status = os.waitpid(child, 0)[1]
if os.WIFSIGNALED(status):
    print("pads 1, -1 | the process died of signal", os.WTERMSIG(status))
sys.exit(0 if status == 0 else 1)
