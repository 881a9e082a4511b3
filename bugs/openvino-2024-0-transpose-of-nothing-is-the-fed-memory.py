"""A Transpose that moves nothing returns the memory that was fed, which is freed when the run ends."""

import sys

import numpy as np
import openvino
from onnx import TensorProto as T, helper

print("openvino", openvino.__version__)


def run(nodes, inputs, outputs, feed, constants=()):
    """What OpenVINO's CPU plugin makes of the model, by output."""
    ends = [[helper.make_tensor_value_info(*one) for one in some] for some in (inputs, outputs)]
    graph = helper.make_graph(nodes, "case", *ends, initializer=list(constants))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    request.infer({name: openvino.Tensor(array) for name, array in feed.items()})
    return [np.array(request.get_output_tensor(i).data) for i in range(len(outputs))]


def wrong(what, actual, expected):
    print(what, "expected", expected.tolist(), "actual", actual.tolist())
    return not np.array_equal(actual, expected)


x = np.arange(1, 1025, dtype=np.float32)


def transposed(more):
    nodes = [helper.make_node("Transpose", ["x"], ["t" if more else "y"], perm=[0])]
    nodes += [helper.make_node("Neg", ["t"], ["y"])] if more else []
    return run(nodes, [("x", T.FLOAT, [1024])], [("y", T.FLOAT, [1024])], {"x": x.copy()})[0]


if not np.array_equal(transposed(True), -x):
    print("the control shows it too")
    sys.exit(2)
print("control, a Neg behind it: as expected")
actual = transposed(False)
print("case: expected", x[:4].tolist(), "... actual", actual[:4].tolist(), "...,", int((actual != x).sum()), "of 1024 differ")
sys.exit(0 if np.array_equal(actual, x) else 1)
