"""A Gather whose result nobody reads: its memory is given to two other values at once."""
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


def model(dead):
    nodes = [node("Gather", ["x", "zero"], ["unread"], axis=1)] if dead else []
    nodes += [
        node("Gather", ["x", "one"], ["g"], axis=1),
        node("Sub", ["g", "two"], ["s"]),
        node("Unsqueeze", ["s", "one1"], ["u"]),
        node("Slice", ["x", "zero1", "one1", "one1", "one1"], ["l"]),
        node("Concat", ["l", "u"], ["y"], axis=1),
        node("Identity", ["y"], ["z"]),
    ]
    i = lambda v: np.array(v, np.int64)
    consts = [("zero", i(0)), ("one", i(1)), ("two", np.array(2, np.float32)), ("one1", i([1])), ("zero1", i([0]))]
    x = np.zeros((1, 2, 1), np.float32)
    return run(nodes, {"x": x}, [("y", T.FLOAT, (1, 2, 1)), ("z", T.FLOAT, (1, 2, 1))], consts, OFF)[0].flatten()


print("expected [0 -2]   with the unread node", model(True), "  without it", model(False))
if not (model(False) == [0, -2]).all():
    print("the control is wrong too")
    sys.exit(2)
sys.exit(0 if (model(True) == [0, -2]).all() else 1)
