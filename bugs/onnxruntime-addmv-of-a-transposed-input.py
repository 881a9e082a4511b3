import sys
import numpy as np, onnx
from onnx import TensorProto as T, helper as h, numpy_helper as nh
import onnxruntime as ort

def run(vector, off=False):
    x = np.array([[1, 2], [3, 4]], np.float32)
    v = np.array([1, 10], np.float32).reshape(vector)
    nodes = [h.make_node("Transpose", ["x"], ["t"], perm=[1, 0]), h.make_node("MatMul", ["t", "v"], ["y"])]
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", T.FLOAT, [2, 2]), h.make_tensor_value_info("v", T.FLOAT, vector)],
                         [h.make_tensor_value_info("y", T.FLOAT, vector)])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    session = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"],
                                   **({"disabled_optimizers": ["MatmulTransposeFusion"]} if off else {}))
    actual, expected = session.run(None, {"x": x, "v": v})[0], x.T @ v
    print(f"vector {vector}, MatmulTransposeFusion {'off' if off else 'on'}: expected {expected.ravel()} actual {actual.ravel()}")
    return not np.array_equal(actual, expected)

print("onnxruntime", ort.__version__)
bug = run([2])
control = run([2, 1]) or run([2], off=True)
sys.exit(2 if control else int(bug))
