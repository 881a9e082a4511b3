"""A Cast of an i32 out of range to u8 saturates; ONNX keeps the low bits."""

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


def cast(value, to, kind):
    node = helper.make_node("Cast", ["x"], ["y"], to=to)
    return run([node], [("x", T.INT32, [2])], [("y", to, [2])], {"x": np.array(value, np.int32)})[0], np.array(value).astype(kind)


if wrong("control, in range:", *cast([1, 255], T.UINT8, np.uint8)):
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if wrong("case, out of range:", *cast([-1, 256], T.UINT8, np.uint8)) else 0)
