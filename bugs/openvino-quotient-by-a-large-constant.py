"""A quotient by a constant from 2^126 on is 0: it becomes a product with the reciprocal, which is subnormal and taken for 0. Exit 1 where the bug shows."""

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


def shows(*divisors):
    w = np.array(divisors, np.float32)
    x = w * np.array([1, 0.5], np.float32)
    actual = run([h.make_node("Div", ["x", "w"], ["z"])], {"x": x}, [("z", T.FLOAT, (2,))], [("w", w)])[0]
    print(f"{x.tolist()} / {w.tolist()}: expected [1.0, 0.5], actual {actual.tolist()}")
    return not np.allclose(actual, [1, 0.5])


bug, control = shows(3e38, 2e38), shows(3e37, 2e37)
sys.exit(2 if control else 1 if bug else 0)
