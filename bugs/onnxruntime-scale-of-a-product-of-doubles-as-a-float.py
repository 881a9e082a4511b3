"""MatMulScaleFusion turns a factor of f64 beside a MatMul into the attribute alpha of FusedMatMul, which is an f32: 0.20000000298 for 0.2. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
import onnx.parser
import onnxruntime as ort


def run(factor, level):
    text = f"g (double[2,2] x, double[2,2] w) => (double[2,2] y) <double c = {{{factor}}}> {{ a = Mul(x, c) y = MatMul(a, w) }}"
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    options = ort.SessionOptions()
    options.graph_optimization_level = level
    session = ort.InferenceSession(model.SerializeToString(), options)
    return session.run(None, {name: np.ones((2, 2)) for name in "xw"})[0].tolist()


def shows(factor):
    expected = [[factor + factor] * 2] * 2
    off, on = run(factor, ort.GraphOptimizationLevel.ORT_DISABLE_ALL), run(factor, ort.GraphOptimizationLevel.ORT_ENABLE_ALL)
    print(f"factor {factor}\n  expected          {expected}\n  not optimized     {off}\n  optimized         {on}")
    return on != expected


bug, control = shows(0.1), shows(0.125)
sys.exit(2 if control else 1 if bug else 0)
