"""LayerNormalization over one element is refused when it runs."""
import sys
import numpy as np
import onnxruntime
from onnx import TensorProto as T, helper as h


def node(op, ins, outs, **attributes):
    return h.make_node(op, ins, outs, **attributes)


def run(nodes, feeds, outputs, initializers=(), level=onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL, types=None):
    """outputs: (name, ONNX type, shape)."""
    inputs = [h.make_tensor_value_info(k, h.np_dtype_to_tensor_dtype(v.dtype), v.shape) for k, v in feeds.items()]
    outs = [h.make_tensor_value_info(*one) for one in outputs]
    consts = [h.make_tensor(k, h.np_dtype_to_tensor_dtype(v.dtype), v.shape, v.flatten().tolist()) for k, v in initializers]
    graph = h.make_graph(nodes, "g", inputs, outs, consts)
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = level
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    session.run(None, feeds)
    return session.run(None, feeds)  # memory is planned from the second run on


OFF = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL


def model(width):
    x = np.ones((2, width), np.float32)
    return run([node("LayerNormalization", ["x", "s"], ["y"])], {"x": x}, [("y", T.FLOAT, (2, width))], [("s", np.ones(width, np.float32))])[0]


print("over two", model(2).flatten())
try:
    print("expected [0 0]   actual", model(1).flatten())
except Exception as error:
    print("expected [0 0]   actual", str(error)[:200])
    sys.exit(1)
