import sys
import numpy as np, onnx
from onnx import TensorProto as T, helper as h, numpy_helper as nh
import onnxruntime as ort

def raises(named):
    nodes = []
    for source, count in (("x", 2), ("y", 3)):
        for i in range(count):
            nodes.append(h.make_node("Gather", [source, f"c{i}"], [f"{source}{i}"], axis=0, name=f"{source}{i}" if named else ""))
    graph = h.make_graph(nodes, "g", [h.make_tensor_value_info("x", T.FLOAT, [2]), h.make_tensor_value_info("y", T.FLOAT, [3])],
                         [h.make_tensor_value_info("y2", T.FLOAT, [])], [nh.from_array(np.array(i), f"c{i}") for i in range(3)])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    feed = {"x": np.array([1, 2], np.float32), "y": np.array([3, 4, 5], np.float32)}
    try:
        actual = ort.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"]).run(None, feed)[0]
    except Exception as error:
        actual = f"raises {error}"
    print(f"nodes {'named' if named else 'nameless'}: expected 5.0 actual {actual}")
    return isinstance(actual, str) or float(actual) != 5.0

print("onnxruntime", ort.__version__)
bug, control = raises(False), raises(True)
sys.exit(2 if control else int(bug))
