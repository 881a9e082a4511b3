"""Split<num_outputs = 2> of an open dim of five. Exit 1 where the bug shows."""

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
    print(label, "| expected", [e.tolist() for e in expected], "| actual", [a.tolist() for a in actual], "|", "right" if right else "WRONG")
    return right


x = np.arange(5, dtype="f4")
text = "g (float[{}] x) => (float[C] y, float[D] z) {{ y, z = Split<num_outputs = 2>(x) }}"
if not compare("5 elements, stated", text.format(5), [(x,)], [x[:3]]):
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if compare("B elements", text.format("B"), [(x[:4],), (x,)], [x[:2], x[:3]]) else 1)
