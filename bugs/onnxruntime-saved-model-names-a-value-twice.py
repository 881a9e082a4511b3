"""onnxruntime 1.31.1: a saved optimized model is refused where parts of tensors became a Split in a graph and in its
subgraph: both name the Split's output split_output. Exit 1 where the bug shows."""

import os
import sys
import tempfile

import numpy as np
import onnxruntime
from onnx import TensorProto, checker, helper

WHERE = {"providers": ["CPUExecutionProvider"]}


def parts(source, prefix):
    """Both rows of a tensor, each by a Gather, and their sum: the nodes, and their constants."""
    indices = [helper.make_tensor(f"{prefix}{i}", TensorProto.INT64, [], [i]) for i in range(2)]
    gathers = [helper.make_node("Gather", [source, f"{prefix}{i}"], [f"{prefix}_row{i}"]) for i in range(2)]
    total = helper.make_node("Add", [f"{prefix}_row0", f"{prefix}_row1"], [f"{prefix}_sum"])
    return [*gathers, total], indices


def model(outside):
    """if c: the sum of the rows of -x; else: that of the rows of x, which is computed outside or in the branch."""
    info = helper.make_tensor_value_info
    nodes, constants = parts("z", "inner")
    nodes = [helper.make_node("Neg", ["x"], ["z"]), *nodes]
    then = helper.make_graph(nodes, "then", [], [info("inner_sum", TensorProto.FLOAT, [2])], constants)
    nodes, constants = parts("x", "outer")
    same = helper.make_node("Identity", ["outer_sum"], ["same"])
    in_branch, in_graph = ([same], nodes) if outside else ([*nodes, same], [])
    inside = [] if outside else constants
    other = helper.make_graph(in_branch, "else", [], [info("same", TensorProto.FLOAT, [2])], inside)
    inputs = [info("x", TensorProto.FLOAT, [2, 2]), info("c", TensorProto.BOOL, [])]
    branch = helper.make_node("If", ["c"], ["r"], then_branch=then, else_branch=other)
    result = [info("r", TensorProto.FLOAT, [2])]
    graph = helper.make_graph([*in_graph, branch], "graph", inputs, result, constants if outside else [])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    checker.check_model(made, full_check=True)
    return made.SerializeToString()


def wrong(label, saved, outside=True, disabled=()):
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    text = model(outside)
    fed = {"x": np.array([[1, 2], [3, 4]], np.float32), "c": np.array(True)}
    expected = [[-4.0, -6.0]]
    with tempfile.TemporaryDirectory() as folder:
        if saved:
            options.optimized_model_filepath = os.path.join(folder, "optimized.onnx")
        session = onnxruntime.InferenceSession(text, options, disabled_optimizers=list(disabled), **WHERE)
        try:
            if saved:
                session = onnxruntime.InferenceSession(options.optimized_model_filepath, **WHERE)
            actual = [result.tolist() for result in session.run(None, fed)]
        except Exception as error:
            actual = "raises " + str(error).strip().rpartition("Error ")[2]
    print(f"{label}: expected {expected}, actual {actual}: {'right' if actual == expected else 'WRONG'}")
    return actual != expected


print("onnxruntime", onnxruntime.__version__)
bug = wrong("the optimized model, saved and loaded", True)
control = wrong("control, not saved", False)
control |= wrong("control, saved, no parts outside of the branches", True, outside=False)
control |= wrong("control, saved, without GatherSliceToSplitFusion", True, disabled=["GatherSliceToSplitFusion"])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
