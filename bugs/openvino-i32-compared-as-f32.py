"""Equal and Greater of int32 are computed in f32."""
import sys
import numpy as np
import openvino
from onnx import TensorProto as T, helper as h


def run(nodes, feeds, outputs, consts=()):
    kind = h.np_dtype_to_tensor_dtype
    inputs = [h.make_tensor_value_info(k, kind(v.dtype), v.shape) for k, v in feeds.items()]
    held = [h.make_tensor(k, kind(v.dtype), v.shape, v.flatten().tolist()) for k, v in consts]
    graph = h.make_graph(nodes, "g", inputs, [h.make_tensor_value_info(*one) for one in outputs], held)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9)
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString()), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    request = compiled.create_infer_request()
    request.infer(feeds)
    return [np.array(request.get_output_tensor(i).data) for i in range(len(outputs))]


x = np.array([16777217, 5], np.int32)
y = np.array([16777216, 5], np.int32)
actual = {op: run([h.make_node(op, ["x", "y"], ["z"])], {"x": x, "y": y}, [("z", T.BOOL if op in ("Equal", "Greater") else T.INT32, (2,))])[0].astype(int) for op in ("Equal", "Greater", "Sub", "Max")}
relu = run([h.make_node("Relu", ["x"], ["z"])], {"x": np.array([2147483647], np.int32)}, [("z", T.INT32, (1,))])[0]
div = run([h.make_node("Div", ["x", "y"], ["z"])], {"x": np.array([2147483646], np.int32), "y": np.array([3], np.int32)}, [("z", T.INT32, (1,))])[0]
print("expected Equal [0 1] Greater [1 0] Sub [1 0] Max [16777217 5] Relu(2147483647) = 2147483647, 2147483646 / 3 = 715827882")
print("actual  ", actual, "Relu", relu, "Div", div)
if (actual["Sub"] != x - y).any() or (actual["Max"] != np.maximum(x, y)).any():
    print("the control is wrong too")
    sys.exit(2)
sys.exit(0 if (actual["Equal"] == (x == y)).all() else 1)
