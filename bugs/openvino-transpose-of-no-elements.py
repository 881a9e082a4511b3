"""A Transpose of a tensor without elements that moves the 0 past a 1 has a 1 in the place of the 0: [1,0] becomes [1,1], not [0,1]. Exit 1 where the bug shows."""

import sys

import numpy as np
import openvino
from onnx import checker, parser


def shows(sizes, perm):
    dims, expected = ",".join(map(str, sizes)), [sizes[i] for i in perm]
    model = parser.parse_model(f'<ir_version: 9, opset_import: ["" : 20]> g (float[{dims}] x) => (float[{",".join(map(str, expected))}] y) {{ y = Transpose <perm={perm}> (x) }}')
    checker.check_model(model, full_check=True)
    compiled = openvino.Core().compile_model(openvino.Core().read_model(model.SerializeToString(), b""), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    x = np.arange(np.prod(sizes), dtype=np.float32).reshape(sizes)
    actual = next(iter(compiled([x]).values()))
    print(f"sizes {sizes}, perm {perm}: expected sizes {expected}, actual sizes {list(actual.shape)}")
    return list(actual.shape) != expected or not np.array_equal(actual, x.transpose(perm))


bug = shows([1, 0], [1, 0])
shows([5, 1, 0], [0, 2, 1])
if shows([1, 3], [1, 0]) or shows([2, 0], [1, 0]):
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
