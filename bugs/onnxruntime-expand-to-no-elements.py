"""An Expand of a 1 to a 0 is removed (ExpandElimination), and its element stays. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
import onnxruntime
from onnx import parser

levels = onnxruntime.GraphOptimizationLevel


def wrong(label, body, result, x, sizes, expected, level=levels.ORT_ENABLE_BASIC):
    shape = ",".join(map(str, x.shape))
    constant = f"int64[{len(sizes)}] sizes = {{{', '.join(map(str, sizes))}}}"
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> g (float[{shape}] x) => ({result} y) <{constant}> {{ {body} }}')
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    actual = session.run(None, {"x": x})[0]
    print(f"{label}: expected {expected.tolist()} of sizes {list(expected.shape)}, actual {actual.tolist()} of sizes {list(actual.shape)}")
    return actual.shape != expected.shape or not np.array_equal(actual, expected)


column = np.float32([[1], [2], [3]])
sum_of_it = "n = Neg (x) e = Expand (n, sizes) y = ReduceSum <keepdims = 0> (e)"
neg_of_it = "n = Neg (x) e = Expand (n, sizes) y = Neg (e)"
bug = wrong("sum of [3, 1] expanded to [3, 0]", sum_of_it, "float", column, [3, 0], np.float32(0))
bug |= wrong("[1] expanded to [0]", neg_of_it, "float[0]", np.float32([5]), [0], np.zeros(0, np.float32))
control = wrong("control, [3, 1] expanded to [3, 2]", sum_of_it, "float", column, [3, 2], np.float32(-12))
control |= wrong("control, not optimized", sum_of_it, "float", column, [3, 0], np.float32(0), levels.ORT_DISABLE_ALL)
sys.exit(2 if control else 1 if bug else 0)
