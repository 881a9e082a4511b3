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

def raises(label, to, lengths):
    x = np.array([0, 1], np.float32)
    outs = ["a", "rest"][: len(lengths)]
    kind, shape = (T.BOOL, bool) if to == "bool" else (T.INT32, np.int32)
    nodes = [h.make_node("Split", ["x", "n"], outs, axis=0), h.make_node("Cast", ["a"], ["c"], to=kind)]
    try:
        actual = run(nodes, [("x", T.FLOAT, [2])], [("c", kind, [lengths[0]])], {"n": np.array(lengths, np.int64)}, {"x": x}).tolist()
    except Exception as error:
        actual = "raises " + str(error).strip().splitlines()[-1]
    expected = x[: lengths[0]].astype(shape).tolist()
    print(f"{label}: Cast to {to} of part 0 of {lengths}: expected {expected} actual {actual}")
    return actual != expected

bugs = [raises("bug", "bool", [2]), raises("bug", "bool", [1, 1])]
control = raises("control", "i32", [2])
sys.exit(2 if control else int(all(bugs)))
