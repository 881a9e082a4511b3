"""Conv and pooling whose operand is a constant fail an assertion on the block layout when the model is read. Exit 1 where the bug shows."""

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
node = helper.make_node
x = np.arange(1, 5, dtype=F).reshape(1, 1, 2, 2)
constants = {"c": x * 10, "w": np.full((1, 1, 1, 1), 2, F)}
bug = shows("of a constant", [node("Conv", ["c", "w"], ["t"]), node("Add", ["t", "x"], ["y"])], {"x": x}, {"y": x * 21}, constants)
control = shows("of an input", [node("Conv", ["x", "w"], ["t"]), node("Add", ["t", "c"], ["y"])], {"x": x}, {"y": x * 12}, constants)

if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
