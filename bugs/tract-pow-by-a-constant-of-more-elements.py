"""ONNX: Pow broadcasts both operands. tract puts a function of the first in its place, with that one's sizes. Exit 1."""

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
        print(label, "| expected", expected.tolist(), "| error:", next((line.strip() for line in str(error).splitlines() if "substitute" in line), str(error))[:160])
    sys.stdout.flush()
    return right


x = np.array([3], dtype=np.float32)
text = "g (float[{0}] x) => (float[3] y) <float[3] e = {{{1}}}> {{ y = {2} (x, e) }}"
control = compare("3 to the powers 2, 2, 3", text.format(1, "2, 2, 3", "Pow"), [x], np.array([9, 9, 27], np.float32))
control &= compare("3 times 2, 2, 2", text.format(1, "2, 2, 2", "Mul"), [x], np.array([6, 6, 6], np.float32))
three = np.array([3, 3, 3], dtype=np.float32)
control &= compare("3, 3, 3 to the powers 2, 2, 2", text.format(3, "2, 2, 2", "Pow"), [three], three**2)
if not control:
    print("the control must be right")
    sys.exit(2)
right = compare("3 to the powers 2, 2, 2", text.format(1, "2, 2, 2", "Pow"), [x], np.array([9, 9, 9], np.float32))
sys.exit(0 if right else 1)
