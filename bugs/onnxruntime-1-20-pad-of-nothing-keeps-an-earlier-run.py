"""A Pad that takes away all rows in the last run. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
import onnx.parser
import onnxruntime

TEXT = """<ir_version: 9, opset_import: ["" : 18]>
g (float[B,1] x) => (float[C,D] y) <int64[4] pads = {-1,2,2,0}, float one = {1}> { y = Pad(x, pads, one) }"""


def padded(x):
    """One row less at the top, two more at the bottom, two columns more at the left."""
    return np.pad(x[1:], ((0, 2), (2, 0)), constant_values=1)


def compare(label, sizes):
    """Whether a session gives what ONNX says, run at one size after another."""
    session = onnxruntime.InferenceSession(
        onnx.parser.parse_model(TEXT).SerializeToString(), providers=["CPUExecutionProvider"]
    )
    runs = [np.arange(5, 5 + size, dtype="f4").reshape(size, 1) for size in sizes]
    expected = [padded(x) for x in runs]
    actual = [session.run(None, {"x": x})[0].tolist() for x in runs]  # no result lives until the next run
    right = all(np.array_equal(a, e) for a, e in zip(actual, expected, strict=True))
    print(label, "| expected", expected[-1].tolist(), "| actual", actual[-1], "|", "right" if right else "WRONG")
    return right


if not compare("three rows and two", [3, 2]):
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if compare("three rows and one", [3, 1]) else 1)
