"""A number by which an operand of a MatMul of f64 is multiplied becomes the attribute alpha of FusedMatMul, an f32: 123456789 is 123456792. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnxruntime
from onnx import parser


def run(body, level):
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> g (double[1,1] x) => (double[1,1] y) {{ {body} }}')
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": np.float64([[1]])})[0].item()


def shows(name, body, level=onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL):
    actual = run(body, level)
    print(f"{name}\n  expected 123456789.0\n  actual   {actual}")
    return actual != 123456789


PRODUCT = "c = Constant <value = double {123456789.0}> () a = Mul (x, c) y = MatMul (a, x)"
bug = shows("MatMul(x * 123456789, x) for x = 1", PRODUCT)
control = shows("MatMul(x + 123456788, x)", "c = Constant <value = double {123456788.0}> () a = Add (x, c) y = MatMul (a, x)")
control = shows("the product without optimization", PRODUCT, onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL) or control
sys.exit(2 if control else 1 if bug else 0)
