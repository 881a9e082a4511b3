"""An initializer of shape [0] is read as a scalar 0."""
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


x = np.array([5], np.float32)
empty = np.zeros(0, np.float32)
actual = run([h.make_node("Identity", ["w"], ["z"])], {}, [("z", T.FLOAT, (0,))], [("w", empty)])[0]
scalar = np.array(3, np.float32)
expanded = run([h.make_node("Expand", ["x", "w"], ["z"])], {"x": scalar}, [("z", T.FLOAT, ())], [("w", np.zeros(0, np.int64))])[0]
control = run([h.make_node("Identity", ["w"], ["z"])], {}, [("z", T.FLOAT, (1,))], [("w", x)])[0]
print("expected shapes (0,) and ()   actual", actual.shape, actual, "and", expanded.shape, "  one element", control)
if control.shape != (1,):
    print("the control is wrong too")
    sys.exit(2)
sys.exit(0 if actual.shape == (0,) and expanded.shape == () else 1)
