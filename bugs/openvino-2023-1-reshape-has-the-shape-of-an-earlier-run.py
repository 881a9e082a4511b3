"""A Reshape to the input's sizes in the sixth run. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
import onnx.parser
import openvino


def run(text, *runs):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    core = openvino.Core()
    options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    request = core.compile_model(core.read_model(model.SerializeToString()), "CPU", options).create_infer_request()
    names = [value.name for value in model.graph.input]
    results = []
    for arrays in runs:
        request.infer({name: openvino.Tensor(array) for name, array in zip(names, arrays)})
        results.append(np.array(request.get_output_tensor(0).data))
    return results


def compare(label, text, runs, expected):
    """Whether all runs give what ONNX says."""
    try:
        actual = run(text, *runs)
    except Exception as error:
        print(label, "| error:", str(error).strip().splitlines()[-1].strip()[:160])
        return False
    right = all(a.shape == e.shape and np.allclose(a, e) for a, e in zip(actual, expected, strict=True))
    print(label, "| expected", [e.shape[2:] for e in expected], "| actual", [a.shape[2:] for a in actual], "|", "right" if right else "WRONG")
    return right


text = "g (uint8[1,3,{0}] x) => (uint8[1,3,{0}] y) <int64[3] t = {{1,3,-1}}> {{ s = Shape(x) r = Reshape(x, t) y = Reshape(r, s) }}"
runs = [(np.arange(3 * b * s, dtype="u1").reshape(1, 3, b, s),) for b, s in [(4, 4), (2, 4), (8, 1)] * 2]
if not compare("8 and 1, stated", text.format("8,1"), [runs[-1]] * 2, [runs[-1][0]] * 2):
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if compare("B and S, six runs", text.format("B,S"), runs, [array for (array,) in runs]) else 1)
