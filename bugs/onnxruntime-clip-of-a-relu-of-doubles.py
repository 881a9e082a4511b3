"""A Clip of a Relu of doubles or of integers does not load. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
import onnxruntime
from onnx import parser

levels = onnxruntime.GraphOptimizationLevel


def wrong(label, dtype, body="r = Relu (x) y = Clip (r, low, high)", level=levels.ORT_ENABLE_BASIC):
    name = {np.float32: "float", np.float64: "double", np.int32: "int32"}[dtype]
    one = "1" if dtype == np.int32 else "1.0"
    bounds = f"{name} low = {{-{one}}}, {name} high = {{{one}}}"
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> g ({name}[2] x) => ({name}[2] y) <{bounds}> {{ {body} }}')
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.log_severity_level = 4
    expected = dtype([0, 1]).tolist()
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        actual = session.run(None, {"x": dtype([-1, 2])})[0].tolist()
    except Exception as error:
        actual = "error: " + str(error).strip()[-50:]
    print(f"{label}: expected {expected}, actual {actual}")
    return actual != expected


bug = wrong("Clip of a Relu, f64", np.float64)
bug |= wrong("Clip of a Relu, i32", np.int32)
control = wrong("control, f32", np.float32)
control |= wrong("control, f64, not optimized", np.float64, level=levels.ORT_DISABLE_ALL)
control |= wrong("control, i32, not optimized", np.int32, level=levels.ORT_DISABLE_ALL)
control |= wrong("control, f64, an Abs and a Neg between", np.float64, "r = Relu (x) a = Abs (r) b = Neg (a) c = Neg (b) y = Clip (c, low, high)")
sys.exit(2 if control else 1 if bug else 0)
