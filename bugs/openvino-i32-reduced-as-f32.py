"""ReduceMax, ReduceSum and ReduceProd of int32 are computed in f32."""
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


x = np.array([16777217, 2], np.int32)
actual = {op: int(run([h.make_node(op, ["x"], ["z"], keepdims=0)], {"x": x}, [("z", T.INT32, ())])[0]) for op in ("ReduceMax", "ReduceSum", "ReduceProd", "ReduceMin")}
print("expected {'ReduceMax': 16777217, 'ReduceSum': 16777219, 'ReduceProd': 33554434, 'ReduceMin': 2}")
print("actual  ", actual)
small = int(run([h.make_node("ReduceMax", ["x"], ["z"], keepdims=0)], {"x": x - 9}, [("z", T.INT32, ())])[0])
if small != 16777208:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(0 if actual["ReduceMax"] == 16777217 else 1)
