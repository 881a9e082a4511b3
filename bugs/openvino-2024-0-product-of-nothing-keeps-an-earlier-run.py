"""The product of no elements in the last run. Exit 1 where the bug shows."""

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
        actual = [float(result) for result in run(text, *runs)]
    except Exception as error:
        print(label, "| error:", str(error).strip().splitlines()[-1].strip()[:160])
        return False
    right = actual == expected
    print(label, "| expected", expected, "| actual", actual, "|", "right" if right else "WRONG")
    return right


text = """g (float[B] x) => (float y) <int64[1] one = {1}, int64[1] end = {9223372036854775807}> {
    s = Slice(x, one, end) y = ReduceProd <keepdims = 0> (s) }"""
three, two, one = (np.array(x, "f4") for x in ([2, 3, 5], [2, 7], [2]))
if not compare("three and two numbers", text, [(three,), (two,), (three,)], [15.0, 7.0, 15.0]):
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if compare("three numbers and one", text, [(three,), (one,), (two,), (one,)], [15.0, 1.0, 7.0, 1.0]) else 1)
