"""a MatMul and an Add of no rows are fused to a Gemm behind a Reshape to one row, which fails"""
import sys
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper


def shows(name, shape, level):
    weights = [numpy_helper.from_array(np.ones((1, 1), np.float32), "w"), numpy_helper.from_array(np.ones(1, np.float32), "b")]
    graph = helper.make_graph(
        [helper.make_node("MatMul", ["x", "w"], ["m"]), helper.make_node("Add", ["m", "b"], ["y"])],
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, shape)],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.checker.check_model(model, full_check=True)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.graph_optimization_level = level
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        actual = list(session.run(None, {"x": np.ones(shape, np.float32)})[0].shape)
    except Exception as error:
        actual = str(error).strip().splitlines()[-1][-110:]
    print(f"{name}: expected sizes {shape}, actual {actual}")
    return actual != shape


levels = onnxruntime.GraphOptimizationLevel
control = shows("control, two rows", [1, 2, 1], levels.ORT_ENABLE_ALL)
control = shows("control, no rows, not optimized", [1, 0, 1], levels.ORT_DISABLE_ALL) or control
bug = shows("no rows", [1, 0, 1], levels.ORT_ENABLE_ALL)
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if bug else 0)
