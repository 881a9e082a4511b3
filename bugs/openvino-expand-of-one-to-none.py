"""An Expand of a dim of 1 to a constant 0 keeps the 1. Exit 1 where the bug shows."""

import sys

import numpy as np
import openvino
from onnx import checker, parser


def wrong(name, inputs, held, feed):
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> g ({inputs}) => (float[0] y) {held} {{ y = Expand (x, sizes) }}')
    checker.check_model(model, full_check=True)
    compiled = openvino.Core().compile_model(openvino.Core().read_model(model.SerializeToString(), b""), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    actual = list(next(iter(compiled(feed).values())).shape)
    print(f"Expand of [1] to [0], the sizes {name}: expected sizes [0], actual sizes {actual}")
    return actual != [0]


x = np.ones(1, np.float32)
bug = wrong("a constant", "float[1] x", "<int64[1] sizes = {0}>", [x])
if wrong("an input", "float[1] x, int64[1] sizes", "", [x, np.array([0])]):
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
