"""onnx 1.23.2, reference evaluator: MaxPool of a window that is all NaN is a ValueError."""
import sys

import numpy as np
from onnx import TensorProto, helper
from onnx.reference import ReferenceEvaluator

node = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[2])
info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", [1, 1, 3]), ("y", [1, 1, 2]))]
model = helper.make_model(helper.make_graph([node], "g", info[:1], info[1:]), opset_imports=[helper.make_opsetid("", 22)])


def wrong(label, x, expected):
    try:
        actual = ReferenceEvaluator(model).run(None, {"x": np.array([[x]], np.float32)})[0][0, 0].tolist()
    except ValueError as error:
        actual = f"ValueError: {error}"
    same = not isinstance(actual, str) and np.array_equal(actual, expected, equal_nan=True)
    print(f"{label}: expected {expected}, actual {actual}: {'right' if same else 'WRONG'}")
    return not same


nan = float("nan")
bug = wrong("a window of NaN alone", [nan, nan, 1], [nan, nan])
control = wrong("control, numbers", [3, 2, 1], [3, 2])
print("one NaN of two, for comparison:", end=" ")
wrong("a window of NaN and a number", [nan, 2, 1], [nan, 2])
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
