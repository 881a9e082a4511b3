"""A linear Resize of a dim of one element adds 1e-6 of the number that lies before it in memory, which is another sample's: 1 becomes 2 beside 1e6. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
from onnx import helper

import cv2


def run(data, inputs, outputs):
    net = cv2.dnn.readNetFromONNX(np.frombuffer(data, np.uint8), cv2.dnn.ENGINE_NEW)
    for name, array in inputs.items():
        net.setInput(array, name)
    return [np.array(one) for one in net.forward(outputs)]



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
resize = lambda mode: [helper.make_node("Resize", ["x", "", "", "s"], ["y"], mode=mode, coordinate_transformation_mode="half_pixel")]
one = np.array([1e6, 1], F).reshape(2, 1, 1, 1)
sizes = {"s": np.array([2, 1, 2, 1], np.int64)}
bug = shows("linear", resize("linear"), {"x": one}, {"y": np.repeat(one, 2, 2)}, sizes)
control = shows("nearest", resize("nearest"), {"x": one}, {"y": np.repeat(one, 2, 2)}, sizes)

if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
