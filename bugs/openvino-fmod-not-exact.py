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

def wrong(label, x, y):
    x, y = np.array([x], np.float32), np.array([y], np.float32)
    actual = run([h.make_node("Mod", ["x", "y"], ["z"], fmod=1)], [("x", T.FLOAT, [1]), ("y", T.FLOAT, [1])], [("z", T.FLOAT, [1])], {}, {"x": x, "y": y})
    print(f"{label}: {x[0]} mod {y[0]}: expected {np.fmod(x, y)[0]} actual {actual[0]}")
    return not np.isclose(np.fmod(x, y), actual)[0]

bugs = [wrong("bug", 1, 0.1), wrong("bug", 6, 0.2), wrong("bug", 1e6, 0.1)]
control = wrong("control", 1, 0.25)
sys.exit(2 if control else int(all(bugs)))
