"""A quotient of two integer constants is folded by floor division, where ONNX's Div truncates: -4 / 3 is -2. Exit 1 where the bug shows."""

import sys

import numpy as np
import openvino
from onnx import checker, parser

a, b = np.int32([-2, -4, 7, 7]), np.int32([3, 3, -2, 2])


def wrong(name, inputs, constants, feed):
    held = ", ".join(f"int32[4] {n} = {{{', '.join(map(str, v))}}}" for n, v in constants.items())
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> g ({inputs}) => (int32[4] y) <{held}> {{ y = Div (a, b) }}')
    checker.check_model(model, full_check=True)
    compiled = openvino.Core().compile_model(openvino.Core().read_model(model.SerializeToString(), b""), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    actual = next(iter(compiled(feed).values()))
    expected = np.trunc(a / b).astype(np.int32)
    print(f"{a.tolist()} / {b.tolist()}, {name}: expected {expected.tolist()} actual {actual.tolist()}")
    return not np.array_equal(actual, expected)


bug = wrong("both constants", "", {"a": a, "b": b}, [])
if wrong("the dividend an input", "int32[4] a", {"b": b}, [a]):
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
