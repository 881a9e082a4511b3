"""ReduceProd of operator set 18 and later: its axes, an input since then, are not read and all dims are reduced."""
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


def result(op):
    x = np.array([[1, 2], [3, 4]], np.float32)
    return run([h.make_node(op, ["x", "axes"], ["y"], keepdims=0)], {"x": x}, [("y", T.FLOAT, (2,))], [("axes", np.array([0]))])[0]


print("expected [3 8]   actual", result("ReduceProd"), "  ReduceSum", result("ReduceSum"))
if not (result("ReduceSum") == [4, 6]).all():
    print("the control is wrong too")
    sys.exit(2)
actual = result("ReduceProd")
sys.exit(0 if actual.shape == (2,) and (actual == [3, 8]).all() else 1)
