"""An integer quotient of the result of a reduction is computed with it in f32 and rounded to the nearest number: 7 / 2 is 4. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
import openvino
from onnx import parser


def run(results, body):
    text = f"""<ir_version: 9, opset_import: ["" : 20]>
    g (int32[1, 2] x) => ({results}) <int64[1] axis = {{1}}, int32 two = {{2}}> {{ {body} }}"""
    model = parser.parse_model(text)
    onnx.checker.check_model(model, full_check=True)
    compiled = openvino.Core().compile_model(openvino.Core().read_model(model.SerializeToString(), b""), "CPU")
    return list(compiled([np.int32([[3, 4]])]).values())[0].tolist()


both = "s = ReduceSum <keepdims = 0> (x, axis) y = Div (s, two)"
case, control = run("int32[1] y", both), run("int32[1] y, int32[1] s", both)
print("(3 + 4) / 2:", case, "and where the sum is returned too:", control, "expected [3]")
if control != [3]:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if case != [3] else 0)
