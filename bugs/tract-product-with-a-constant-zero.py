"""Infinity and NaN times a constant 0 are NaN; tract gives 0. Exit 1 where the bug shows."""

import os
import sys
import tempfile

os.environ["RUST_BACKTRACE"] = "0"
import numpy as np
import onnx
import onnx.parser
import tract

x = np.array([np.inf, np.nan, 2], "f4")


def run(text, *arrays):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, folder + "/model.onnx")
        runnable = tract.onnx().load(folder + "/model.onnx").into_model().into_runnable()
    return runnable.run(list(arrays))[0].to_numpy()


def compare(label, text, *arrays):
    """Whether tract gives what ONNX says."""
    with np.errstate(invalid="ignore"):
        expected = x * arrays[1] if len(arrays) == 2 else x * FACTORS[label]
    actual = run(text, *arrays)
    right = np.array_equal(actual, expected, equal_nan=True)
    print(label, "| expected", expected.tolist(), "| actual", actual.tolist(), "|", "right" if right else "WRONG")
    return right


FACTORS = {"x times 1": np.float32(1), "x times 0 and 1": np.array([0, 1, 1], "f4"), "x times 0": np.float32(0), "0 times x": np.float32(0)}
constant = "g (float[3] x) => (float[3] y) <{}> {{ y = Mul({}) }}"
controls = [
    compare("x times 1", constant.format("float k = {1}", "x, k"), x),
    compare("x times 0 and 1", constant.format("float[3] k = {0, 1, 1}", "x, k"), x),
    compare("x times an input of 0", "g (float[3] x, float k) => (float[3] y) { y = Mul(x, k) }", x, np.array(0, "f4")),
]
if not all(controls):
    print("the control must be right")
    sys.exit(2)
results = [
    compare("x times 0", constant.format("float k = {0}", "x, k"), x),
    compare("0 times x", constant.format("float k = {0}", "k, x"), x),
]
sys.exit(0 if all(results) else 1)
