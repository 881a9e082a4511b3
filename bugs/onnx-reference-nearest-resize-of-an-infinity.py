"""onnx 1.23.2, reference evaluator: a nearest Resize multiplies neighbours by 0 and 1: an infinity and what lies beside it are NaN."""
import sys

import numpy as np
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

node = helper.make_node("Resize", ["x", "", "", "sizes"], ["y"], mode="nearest", nearest_mode="floor", coordinate_transformation_mode="asymmetric")
info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", [1, 1, 2]), ("y", [1, 1, 4]))]
graph = helper.make_graph([node], "g", info[:1], info[1:], [helper.make_tensor("sizes", TensorProto.INT64, [3], [1, 1, 4])])
evaluator = ReferenceEvaluator(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)]))


def wrong(label, x):
    x = np.array(x, np.float32)
    with np.errstate(invalid="ignore"):
        actual = evaluator.run(None, {"x": x[None, None]})[0][0, 0]
    expected = np.repeat(x, 2)
    same = np.array_equal(actual, expected)
    print(f"{label}: expected {expected.tolist()}, actual {actual.tolist()}: {'right' if same else 'WRONG'}")
    return not same


bug = wrong("an infinity", [1, np.inf])
control = wrong("control, a number", [1, 9])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
