"""A linear Resize of a 3-D tensor takes samples and channels for a volume and weighs the next one's number by 0, so that an infinity or NaN in one sample makes NaN in another. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
from onnx import helper

import onnxruntime as ort


def run(data, inputs, outputs):
    options = ort.SessionOptions()
    options.log_severity_level = 4
    return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"]).run(outputs, inputs)



def model(nodes, inputs, outputs, constants):
    def info(names):
        return [helper.make_tensor_value_info(n, onnx.helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in names.items()]
    inits = [onnx.numpy_helper.from_array(a, n) for n, a in constants.items()]
    graph = helper.make_graph(nodes, "g", info(inputs), info(outputs), inits)
    made = helper.make_model(graph, opset_imports=[helper.make_operatorsetid("", 20)], ir_version=9)
    onnx.checker.check_model(made, full_check=True)
    return made.SerializeToString()


def shows(title, nodes, inputs, expected, constants=None):
    """Whether what comes back is not what is expected (numpy, by hand)."""
    try:
        got = run(model(nodes, inputs, expected, constants or {}), inputs, list(expected))
    except Exception as error:
        print(f"{title}: {type(error).__name__}: {str(error).strip()[:300]}")
        return True
    wrong = False
    for (name, want), have in zip(expected.items(), got):
        same = want.shape == have.shape and np.allclose(want, have, rtol=1e-4, atol=1e-5, equal_nan=True)
        wrong |= not same
        print(f"{title}: {name} {'as expected' if same else 'WRONG'}\n  expected {want.tolist()} {want.shape}\n  actual   {have.tolist()} {have.shape}")
    return wrong


F = np.float32
resize = lambda: [helper.make_node("Resize", ["x", "", "", "s"], ["y"], mode="linear", coordinate_transformation_mode="align_corners")]
x = np.array([1, 2, 8, 4], F).reshape(2, 1, 2)
x[1, 0, 0] = np.inf
want = np.array([1, 1.5, 2, np.inf, np.inf, 4], F).reshape(2, 1, 3)
bug = shows("3-D", resize(), {"x": x}, {"y": want}, {"s": np.array([2, 1, 3], np.int64)})
control = shows("4-D", resize(), {"x": x[:, :, None]}, {"y": want[:, :, None]}, {"s": np.array([2, 1, 1, 3], np.int64)})

if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
