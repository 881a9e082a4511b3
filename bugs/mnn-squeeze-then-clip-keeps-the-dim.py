"""Squeeze before Clip of one element is lost: the result has sizes [1], not []. Exit 1 where the bug shows."""

import sys

import numpy as np
import onnx
from onnx import helper

import os
import tempfile

import MNN  # before _tools
import _tools  # the converter; MNN.tools.mnnconvert would install a package when it is imported
from MNN import expr, nn


def run(data, inputs, outputs, arguments=()):
    with tempfile.TemporaryDirectory() as folder:
        source, made = os.path.join(folder, "case.onnx"), os.path.join(folder, "case.mnn")
        with open(source, "wb") as file:
            file.write(data)
        _tools.mnnconvert(["mnnconvert", "-f", "ONNX", "--modelFile", source, "--MNNModel", made, "--bizCode", "x", *arguments])
        manager = nn.create_runtime_manager(({"backend": "CPU", "precision": "high", "numThread": 1},))
        module = nn.load_module_from_file(made, list(inputs), outputs, runtime_manager=manager)
        given = [expr.const(np.ascontiguousarray(a), list(a.shape), expr.NCHW, expr.float) for a in inputs.values()]
        return [np.array(expr.convert(one, expr.NCHW).read()) for one in module.onForward(given)]



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
x = np.array([5], F)
bounds = {"low": np.array(-1, F), "high": np.array(1, F)}
bug = shows("Clip", [node("Squeeze", ["x"], ["s"]), node("Clip", ["s", "low", "high"], ["y"])], {"x": x}, {"y": np.array(1, F)}, bounds)
control = shows("Relu", [node("Squeeze", ["x"], ["s"]), node("Relu", ["s"], ["y"])], {"x": x}, {"y": np.array(5, F)})

if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
