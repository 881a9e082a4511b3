"""A Cast of NaN to bool is false. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
import openvino
from onnx import parser


def wrong(label, body, x):
    model = parser.parse_model(
        f'<ir_version: 9, opset_import: ["" : 20]> g (float[{len(x)}] x) => (bool[{len(x)}] y) <float zero = {{0.0}}> {{ {body} }}'
    )
    onnx.checker.check_model(model, full_check=True)
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString(), b""), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    x = np.float32(x)
    actual, expected = list(compiled([x]).values())[0].tolist(), x.astype(bool).tolist()
    print(f"{label} of {x.tolist()}: expected {expected}, actual {actual}")
    return actual != expected


cast = "y = Cast <to = 9> (x)"
bug = wrong("Cast to bool", cast, [np.nan, -np.nan, 0])
control = wrong("control, Cast to bool", cast, [np.inf, -0.001, 0])
control |= wrong("control, not equal to 0", "e = Equal (x, zero) y = Not (e)", [np.nan, -np.nan, 0])
sys.exit(2 if control else 1 if bug else 0)
