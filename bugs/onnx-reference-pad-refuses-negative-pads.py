"""onnx.reference of onnx 1.23.2: Pad hands negative pads to numpy.pad, which takes none."""
import sys

import numpy as np
from onnx import ValueInfoProto, helper, numpy_helper, shape_inference
from onnx.reference import ReferenceEvaluator


def run(op, inputs, constants=(), outputs=1, opset=20, **attributes):
    """One ONNX node, evaluated; `constants` are the inputs that are initializers."""
    names = [f"x{i}" for i in range(len(inputs))]
    infos = [helper.make_tensor_value_info(n, helper.np_dtype_to_tensor_dtype(a.dtype), a.shape)
             for i, (n, a) in enumerate(zip(names, inputs)) if i not in constants]
    made = [f"y{i}" for i in range(outputs)]
    node = helper.make_node(op, names, made, **attributes)
    graph = helper.make_graph([node], "g", infos, [ValueInfoProto(name=n) for n in made],
                              [numpy_helper.from_array(inputs[i], names[i]) for i in constants])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
    feed = {n: a for i, (n, a) in enumerate(zip(names, inputs)) if i not in constants}
    try:
        with np.errstate(all="ignore"):
            return ReferenceEvaluator(shape_inference.infer_shapes(model)).run(None, feed)
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def wrong(label, expected, actual, tolerance=0.0):
    same = not isinstance(actual, str) and expected.dtype == actual.dtype and expected.shape == actual.shape and np.allclose(expected, actual, tolerance, tolerance)
    told = actual if isinstance(actual, str) else f"{actual.dtype}{list(actual.shape)} {actual.tolist()}"
    print(f"{label}: expected {expected.dtype}{list(expected.shape)} {expected.tolist()}, actual {told}: {'right' if same else 'WRONG'}")
    return not same


x = np.array([1, 2, 3, 4], np.float32)
bug = wrong("pads [-1, 1]", np.array([2, 3, 4, 0], np.float32), run("Pad", [x, np.array([-1, 1])], constants=(1,))[0])
control = wrong("control, pads [0, 1]", np.array([1, 2, 3, 4, 0], np.float32), run("Pad", [x, np.array([0, 1])], constants=(1,))[0])

if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
