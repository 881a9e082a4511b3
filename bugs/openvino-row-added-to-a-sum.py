"""A row added to a sum over the last dim. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
import onnx.parser
import openvino


def run(text, **feed):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    request.infer({name: openvino.Tensor(array) for name, array in feed.items()})
    return [np.array(request.get_output_tensor(i).data) for i in range(len(compiled.outputs))]


def compare(label, expected, text, **feed):
    """True if the last result is what ONNX says."""
    expected = np.array(expected)
    try:
        actual = np.asarray(run(text, **feed)[-1])
        right = actual.shape == expected.shape and np.allclose(actual, expected, rtol=1e-5, atol=1e-6)
        print(label, "| expected", np.round(expected.astype("f8"), 2).tolist(), "| actual", np.round(actual.astype("f8"), 2).tolist(), "|", "right" if right else "WRONG")
    except Exception as error:
        right = False
        print(label, "| expected", expected.tolist(), "| error:", str(error).strip().splitlines()[-1].strip()[:120])
    sys.stdout.flush()
    return right


SUM = """g (float[ROWS,COLUMNS,4] x) => (float[ROWS,COLUMNS] y) <float[COUNT] w = {NUMBERS}, int64[1] last = {-1}> {
    s = REDUCE<keepdims = 0>(x, last)
    y = Add(s, w)
}"""


def added(label, m, n, weights, reduce="ReduceSum"):
    values = {"REDUCE": reduce, "ROWS": m, "COLUMNS": n, "COUNT": len(weights), "NUMBERS": ", ".join(map(str, weights))}
    text = SUM
    for key, value in values.items():
        text = text.replace(key, str(value))
    return compare(label, np.zeros((m, n)) + np.array(weights), text, x=np.zeros((m, n, 4), "f4"))


controls = [added("one number", 2, 2, [5.0]), added("a row, to one row", 1, 2, [0.0, 1.0])]
right = [added("a row", 2, 2, [0.0, 1.0]), added("a row, to a mean", 2, 2, [0.0, 1.0], "ReduceMean")]
sys.exit(2 if not all(controls) else 0 if all(right) else 1)
