"""An Add behind a Reshape writes over the memory of a view that is returned."""

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


shapes = [helper.make_tensor("one", T.INT64, [1], [1]), helper.make_tensor("ones", T.INT64, [3], [1, 1, 1])]
two = helper.make_tensor("two", T.FLOAT16, [1], np.array([2], np.float16).tobytes(), raw=True)
nodes = [
    helper.make_node("Reshape", ["x", "one"], ["a"]),
    helper.make_node("Reshape", ["a", "ones"], ["b"]),
    helper.make_node("Add", ["b", "two"], ["c"]),
]
ends = [("c", T.FLOAT16, [1, 1, 1]), ("a", T.FLOAT16, [1])]


def added(returned):
    return run(nodes, [("x", T.FLOAT16, [])], ends[:returned], {"x": np.array(0, np.float16)}, [*shapes, two])


if wrong("control, the sum alone:", added(1)[0], np.full([1, 1, 1], 2, np.float16)):
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if wrong("case, the first view, returned too:", added(2)[1], np.zeros(1, np.float16)) else 0)
