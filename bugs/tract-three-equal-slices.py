"""Where three slices are equal and two of them are outputs, one that was merged away is read: eval() called on a Dummy op. Exit 1 where the bug shows."""

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


def slices(third):
    nodes = "a = Slice (x, one, two) b = Slice (x, one, two) c = Neg (b)" + third * " d = Slice (x, one, two)"
    text = f"g (float[2] x) => (float[1] a, float[1] c{third * ', float[1] d'}) <int64[1] one = {{1}}, int64[1] two = {{2}}> {{ {nodes} }}"
    return compare("three slices" if third else "two slices", text, [np.array([1, 2], dtype=np.float32)], np.array([2], dtype=np.float32))


case, control = slices(True), slices(False)
if not control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(0 if case else 1)
