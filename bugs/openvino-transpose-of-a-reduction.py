"""A Transpose behind a reduction that drops its dim (keepdims=0) is removed where the last dim has size 1: [2,1] for [1,2]. Exit 1 where the bug shows."""

import sys

import numpy as np
import openvino
from onnx import parser


def shows(name, body, sizes):
    dims = ",".join(map(str, sizes))
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> g (float[2,2,1] x) => (float[{dims}] y) {{ axes = Constant <value_ints = [0]> () {body} }}')
    compiled = openvino.Core().compile_model(openvino.Core().read_model(model.SerializeToString(), b""), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    actual = next(iter(compiled([np.float32([[[1], [2]], [[3], [4]]])]).values()))
    print(f"{name}\n  expected sizes {sizes}\n  actual   sizes {list(actual.shape)}: {actual.tolist()}")
    return list(actual.shape) != sizes


bug = shows("ReduceSum <keepdims=0>, Transpose", "a = ReduceSum <keepdims=0> (x, axes) y = Transpose <perm=[1,0]> (a)", [1, 2])
control = shows("ReduceSum <keepdims=1>, Transpose", "a = ReduceSum <keepdims=1> (x, axes) y = Transpose <perm=[0,2,1]> (a)", [1, 1, 2])
sys.exit(2 if control else 1 if bug else 0)
