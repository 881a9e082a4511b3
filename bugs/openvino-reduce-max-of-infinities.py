"""ReduceMax of elements that all are minus infinity is the lowest finite number, and ReduceMin of infinities the greatest"""
import sys
import numpy as np
import onnx
import openvino
from onnx import TensorProto, helper


def shows(name, op, numbers):
    data = np.array([numbers], np.float32)
    graph = helper.make_graph(
        [helper.make_node(op, ["x"], ["y"], keepdims=0, axes=[1])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, list(data.shape))],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1])],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    core = openvino.Core()
    options = {"INFERENCE_PRECISION_HINT": "f32"}
    request = core.compile_model(core.read_model(model.SerializeToString()), "CPU", options).create_infer_request()
    request.infer({"x": data})
    actual = float(request.get_output_tensor(0).data[0])
    expected = max(numbers) if op == "ReduceMax" else min(numbers)
    print(f"{name}: expected {expected}, actual {actual}")
    return actual != expected


infinite = float("inf")
control = shows("control, ReduceMax of [-inf, -3]", "ReduceMax", [-infinite, -3.0])
bug = shows("ReduceMax of [-inf, -inf]", "ReduceMax", [-infinite, -infinite])
bug = shows("ReduceMin of [inf, inf]", "ReduceMin", [infinite, infinite]) or bug
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
