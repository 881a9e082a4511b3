"""Attention whose query is a transposed Reshape. Exit 1 where the bug shows."""

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

ATTENTION = """g (float[1,2,8] x, float[1,2,4,2] k, float[1,2,2,4] v) => (float[1,2,2,4] y) <int64[4] t = {1, 2, 2, 4}> {
    r = Reshape(x, t)
    q = Transpose<perm = [0, 2, 1, 3]>(r)
    s = MatMul(q, k)
    p = Softmax<axis = -1>(s)
    MORE
}"""
x = np.arange(16, dtype="f4").reshape(1, 2, 8) / 16
k = np.arange(16, dtype="f4").reshape(1, 2, 4, 2) / 8 - 1
v = np.arange(16, dtype="f4").reshape(1, 2, 2, 4)
q = x.reshape(1, 2, 2, 4).transpose(0, 2, 1, 3)
e = np.exp(q @ k)
p = e / e.sum(-1, keepdims=True)
feed = {"x": x, "k": k, "v": v}
weights = ATTENTION.replace("MORE", "y = Identity(p)").replace("float[1,2,2,4] y", "float[1,2,2,2] y")
control = compare("control: the weights", p, weights.replace(", float[1,2,2,4] v", ""), x=x, k=k)
given = ATTENTION.replace("float[1,2,8] x", "float[1,2,2,4] q").replace("    r = Reshape(x, t)\n", "")
given = given.replace("    q = Transpose<perm = [0, 2, 1, 3]>(r)\n", "").replace("MORE", "y = MatMul(p, v)")
control &= compare("control: the query as it is", p @ v, given, q=np.ascontiguousarray(q), k=k, v=v)
bug = compare("the weights times v", p @ v, ATTENTION.replace("MORE", "y = MatMul(p, v)"), **feed)
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
