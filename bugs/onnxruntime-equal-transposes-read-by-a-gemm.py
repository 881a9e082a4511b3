"""Of two equal Transposes that a Gemm reads, the one that is returned is lost. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx.checker
import onnx.parser
import onnxruntime

onnxruntime.set_default_logger_severity(4)
X = np.array([[1, 2], [3, 4]], np.float32)


def run(nodes, level):
    text = '<ir_version: 9, opset_import: ["" : 20]> g (float[2,2] x) => (float[2,2] t, float[2,2] y) { %s }' % nodes
    model = onnx.parser.parse_model(text)
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return session.run(None, {"x": X})


def compare(label, nodes, expected, level=onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL):
    try:
        actual = run(nodes, level)
    except Exception as error:
        print(f"{label} | {str(error).splitlines()[0]} | WRONG")
        return False
    right = all(np.array_equal(one, other) for one, other in zip(actual, expected, strict=True))
    print(f"{label} | expected {expected[1].tolist()} | actual {actual[1].tolist()} | {'right' if right else 'WRONG'}")
    return right


TWICE = "t = Transpose <perm = [1, 0]> (x) s = Transpose <perm = [1, 0]> (x) y = Gemm (s, t)"
ONCE = "t = Transpose <perm = [1, 0]> (x) y = Gemm (t, t)"
controls = [
    compare("one Transpose", ONCE, [X.T, X.T @ X.T]),
    compare("two, not optimized", TWICE, [X.T, X.T @ X.T], onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL),
]
right = compare("two", TWICE, [X.T, X.T @ X.T])
sys.exit(2 if not all(controls) else 0 if right else 1)
