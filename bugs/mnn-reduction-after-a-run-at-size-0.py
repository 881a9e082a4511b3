"""A reduction that ran at a size of 0 is wrong at every later size. Exit 1 where the bug shows."""

import os
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, helper

import MNN  # before _tools
import _tools  # the converter; MNN.tools.mnnconvert would install a package when it is imported
from MNN import expr, nn


def load(op, sizes, results):
    """A module of one ONNX operator over all dims. Its first dim is open."""
    inputs = [helper.make_tensor_value_info("x", TensorProto.FLOAT, sizes)]
    outputs = [helper.make_tensor_value_info("y", TensorProto.FLOAT, results)]
    graph = helper.make_graph([helper.make_node(op, ["x"], ["y"], keepdims=0)], "g", inputs, outputs)
    model = helper.make_model(graph, opset_imports=[helper.make_operatorsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    with tempfile.TemporaryDirectory() as folder:
        source, made = os.path.join(folder, "case.onnx"), os.path.join(folder, "case.mnn")
        onnx.save(model, source)
        _tools.mnnconvert(["mnnconvert", "-f", "ONNX", "--modelFile", source, "--MNNModel", made, "--bizCode", "x"])
        manager = nn.create_runtime_manager(({"backend": "CPU", "precision": "high", "numThread": 1},))
        return nn.load_module_from_file(made, ["x"], ["y"], runtime_manager=manager)


def shows(title, op, function, runs):
    """Whether a run of one module, at these sizes of the first dim, does not give what numpy gives."""
    module, wrong = load(op, ["B", 2], []), False
    for size in runs:
        x = np.arange(1, 2 * size + 1, dtype=np.float32).reshape(size, 2)
        given = expr.const(x, list(x.shape), expr.NCHW, expr.float)
        want, have = function(x), np.array(expr.convert(module.onForward([given])[0], expr.NCHW).read())
        same = want.shape == have.shape and np.allclose(want, have)
        wrong |= not same
        print(f"{title}, B={size}: expected {want}, actual {have}: {'right' if same else 'WRONG'}")
    return wrong


bug = shows("ReduceSum", "ReduceSum", np.sum, [0, 2, 3])
bug |= shows("ReduceSum", "ReduceSum", np.sum, [2, 0, 2])
bug |= shows("ReduceSumSquare", "ReduceSumSquare", lambda x: np.sum(x * x), [0, 2])
bug |= shows("ReduceProd", "ReduceProd", np.prod, [0, 2])
control = shows("control, no size of 0", "ReduceSum", np.sum, [1, 2, 3])
control |= shows("control, no other size", "ReduceSum", np.sum, [0, 0])

if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
