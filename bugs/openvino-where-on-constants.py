import sys
import numpy as np, onnx
from onnx import TensorProto as T, helper as h, numpy_helper as nh
import openvino as ov

def run(nodes, inputs, outputs, constants, feed):
    infos = lambda them: [h.make_tensor_value_info(*one) for one in them]
    graph = h.make_graph(nodes, "g", infos(inputs), infos(outputs), [nh.from_array(a, n) for n, a in constants.items()])
    model = h.make_model(graph, opset_imports=[h.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    core = ov.Core()
    compiled = core.compile_model(core.read_model(model.SerializeToString(), b""), "CPU", {"INFERENCE_PRECISION_HINT": "f32"})
    return np.array(compiled(feed)[0])

print("openvino", ov.__version__)

def wrong(label, nodes, out, constant):
    w = np.array([[0, 0], [-1, 2]], np.float32)
    nodes = [h.make_node("Gather", ["w", "one"], ["a"], axis=0)] + nodes
    constants = {"one": np.array(1, np.int64), "half": np.array(0.5, np.float32), "zero": np.array(0, np.float32)}
    constants = {n: a for n, a in constants.items() if any(n in node.input for node in nodes)}
    inputs, feed = ([], {}) if constant else ([("w", T.FLOAT, [2, 2])], {"w": w})
    actual = run(nodes, inputs, [(out, T.FLOAT, [2])], constants | ({"w": w} if constant else {}), feed).tolist()
    expected = {"b": [1.0, 2.0], "h": [-1.0, 2.0]}[out]
    print(f"{label}: expected {expected} actual {actual}")
    return actual != expected

absolute = [h.make_node("Abs", ["a"], ["b"])]
shrink = absolute + [h.make_node("LessOrEqual", ["b", "half"], ["m"]), h.make_node("Where", ["m", "zero", "a"], ["h"])]
bugs = [wrong("abs(gather(constant))", absolute, "b", True), wrong("hardshrink(gather(constant))", shrink, "h", True)]
controls = [wrong("control: abs(gather(input))", absolute, "b", False), wrong("control: hardshrink(gather(input))", shrink, "h", False)]
sys.exit(2 if any(controls) else int(all(bugs)))
