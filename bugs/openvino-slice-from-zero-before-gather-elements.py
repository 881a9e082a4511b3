"""a Slice that begins at 0 is left out in front of GatherElements: another shape is refused, and a negative index counts from the end of the whole"""
import sys
import numpy as np
import onnx
import openvino
from onnx import TensorProto, helper, numpy_helper


def model(begin, end, sliced, axis, shape, index_shape):
    """GatherElements of a Slice of x on one dim."""
    numbers = {"begin": begin, "end": end, "sliced": sliced}
    graph = helper.make_graph(
        [
            helper.make_node("Slice", ["x", *numbers], ["part"]),
            helper.make_node("GatherElements", ["part", "index"], ["y"], axis=axis),
        ],
        "g",
        [
            helper.make_tensor_value_info("x", TensorProto.FLOAT, shape),
            helper.make_tensor_value_info("index", TensorProto.INT64, index_shape),
        ],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, index_shape)],
        [numpy_helper.from_array(np.array([number], np.int64), name) for name, number in numbers.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def shows(name, shape, index, wanted, **where):
    x = np.arange(1, 1 + np.prod(shape), dtype=np.float32).reshape(shape)
    index = np.array(index, np.int64)
    made = model(shape=shape, index_shape=index.shape, **where)
    onnx.checker.check_model(made)
    core = openvino.Core()
    try:
        request = core.compile_model(core.read_model(made.SerializeToString()), "CPU").create_infer_request()
        request.infer({"x": x, "index": index})
        actual = request.get_output_tensor(0).data.tolist()
    except RuntimeError as error:
        actual = str(error).strip().splitlines()[-1][:120]
    print(f"{name}: expected {wanted}, actual {actual}")
    return actual != wanted


gather = {"sliced": 2, "axis": 1, "shape": [1, 2, 2], "index": [[[1], [0]]]}
refused = shows("[:, :, 0:1], axis 1", begin=0, end=1, wanted=[[[3.0], [1.0]]], **gather)
control = shows("control, [:, :, 1:2]", begin=1, end=2, wanted=[[[4.0], [2.0]]], **gather)
wrong = shows("[:, 0:2], axis 1, index -1", begin=0, end=2, sliced=1, axis=1, shape=[1, 4], index=[[-1]], wanted=[[2.0]])
if control:
    print("the control shows it too")
    sys.exit(2)
sys.exit(1 if refused or wrong else 0)
