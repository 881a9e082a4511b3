"""Abs of a Concat takes the place of the Concat for all its readers (AbsSinking), so that [-1, -1] that is returned beside its Abs is [1, 1]. Exit 1 where the bug shows."""

import sys

import numpy as np
import openvino
from onnx import parser


def shows(name, body, expected):
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> g (float[1] x) => (float[2] y, float[2] z) {{ {body} }}')
    compiled = openvino.Core().compile_model(openvino.Core().read_model(model.SerializeToString(), b""), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    actual = [one.tolist() for one in compiled([np.float32([-1])]).values()]
    print(f"{name}\n  expected {expected}\n  actual   {actual}")
    return actual != expected


bug = shows("y = Concat(x, x), z = Abs(y)", "y = Concat <axis = 0> (x, x) z = Abs (y)", [[-1, -1], [1, 1]])
shows("y = -Concat(x, x), z = Abs(Concat(x, x))", "c = Concat <axis = 0> (x, x) y = Neg (c) z = Abs (c)", [[1, 1], [1, 1]])
if shows("control: y = Concat(x, x), z = Relu(y)", "y = Concat <axis = 0> (x, x) z = Relu (y)", [[-1, -1], [0, 0]]):
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
