"""Reshape, LayerNormalization without a bias, Reshape: the session dies while it is made."""
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

import os


def model(level, bias):
    ins = ["r", "scale"] + (["bias"] if bias else [])
    nodes = [node("Reshape", ["x", "three"], ["r"]), node("LayerNormalization", ins, ["l", "mean", "inv"], axis=2),
             node("Reshape", ["l", "two"], ["y"]), node("Squeeze", ["mean", "ax"], ["m"]), node("Squeeze", ["inv", "ax"], ["v"])]
    consts = [("three", np.array([1, 1, 2])), ("two", np.array([1, 2])), ("ax", np.array([2])), ("scale", np.ones(2, np.float32))]
    if bias:
        consts.append(("bias", np.zeros(2, np.float32)))
    return run(nodes, {"x": np.array([[1, 2]], np.float32)}, [("y", T.FLOAT, (1, 2))], consts, level)[0].flatten()


print("no optimization", model(OFF, False), "  with a bias", model(onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL, True), flush=True)
child = os.fork()
if child == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    model(onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL, False)
    os._exit(0)
status = os.waitpid(child, 0)[1]
print("expected: loads and gives [-1 1]   actual: the process ends with signal", os.WTERMSIG(status))
sys.exit(1 if status else 0)
