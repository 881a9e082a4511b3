"""MatMul(T, T) of one Transpose T that a third node reads too: the fusion removes T while it is still read."""
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


def model(third, level):
    nodes = [node("Transpose", ["x"], ["t"], perm=[1, 0, 2]), node("MatMul", ["t", "t"], ["y"])]
    outs = [("y", T.FLOAT, (2, 1, 1))]
    if third:
        nodes.append(node("Neg", ["t"], ["n"]))
        outs.append(("n", T.FLOAT, (2, 1, 1)))
    return run(nodes, {"x": np.array([1, 2], np.float32).reshape(1, 2, 1)}, outs, (), level)[0].flatten()


ALL = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
print("without a third reader", model(False, ALL), "  not optimized", model(True, OFF))
try:
    print("expected [1 4]   actual", model(True, ALL))
except Exception as error:
    print("expected [1 4]   actual", str(error)[-120:].strip())
    sys.exit(1)
