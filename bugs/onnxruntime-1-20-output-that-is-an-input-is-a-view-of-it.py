"""A graph output that is a graph input comes back as a view of memory that is not kept alive."""
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





def model(nodes, output):
    inputs = [h.make_tensor_value_info("x", T.FLOAT, (4,))]
    graph = h.make_graph(nodes, "g", inputs, [h.make_tensor_value_info(output, T.FLOAT, (4,))])
    made = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9)
    session = onnxruntime.InferenceSession(made.SerializeToString(), providers=["CPUExecutionProvider"])
    x = np.array([1, 2, 3, 4], np.float32)
    result = session.run(None, {"x": x})[0]
    x[:] = -9  # what is fed is the caller's again once run() is back
    return np.array(result)  # what it says now; later its memory may be anything


# a computed output does not share the caller's memory
copy = model([node("Neg", ["x"], ["n"]), node("Neg", ["n"], ["y"])], "y")
passed = model([], "x")
print("expected [1 2 3 4]   actual", passed, "  computed", copy)
if not (copy == [1, 2, 3, 4]).all():
    print("the control is wrong too")
    sys.exit(2)
sys.exit(0 if (passed == [1, 2, 3, 4]).all() else 1)
