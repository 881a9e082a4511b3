"""Transpose and MatMul of doubles become a FusedMatMul that has no kernel."""
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


def model(dtype, kind, level):
    nodes = [node("Transpose", ["x"], ["t"], perm=[1, 0]), node("MatMul", ["t", "y"], ["z"])]
    feeds = {"x": np.array([[1, 2], [3, 4]], dtype), "y": np.array([[5, 6], [7, 8]], dtype)}
    return run(nodes, feeds, [("z", kind, (2, 2))], (), level)[0].flatten()


ALL = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
print("f32", model(np.float32, T.FLOAT, ALL), "  f64 not optimized", model(np.float64, T.DOUBLE, OFF))
try:
    print("expected [26 30 38 44]   actual", model(np.float64, T.DOUBLE, ALL))
except Exception as error:
    print("expected [26 30 38 44]   actual", str(error)[:110])
    sys.exit(1)
