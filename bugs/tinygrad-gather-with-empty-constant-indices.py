"""tinygrad 0.14.0: Gather's fast path for constant indices takes the first of them, an IndexError where there is none."""
import os
import shutil
import sys

os.environ.update(DEV="CPU:CLANG", CACHELEVEL="0", NUM_CPU_THREADS="1")
os.environ.setdefault("CC", shutil.which("clang") or "clang-19")
import numpy as np
from onnx import ValueInfoProto, helper, numpy_helper, shape_inference
from tinygrad import Tensor
from tinygrad.nn.onnx import OnnxRunner


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
    model = shape_inference.infer_shapes(model)  # it knows the types of the results
    runner = OnnxRunner(Tensor(model.SerializeToString(), device="PYTHON"))
    feed = {n: Tensor(a) for i, (n, a) in enumerate(zip(names, inputs)) if i not in constants}
    try:
        return [t.numpy() for t in runner(feed).values()]
    except Exception as error:
        return [f"{type(error).__name__}: {error}"]


def wrong(label, expected, actual):
    same = not isinstance(actual, str) and expected.dtype == actual.dtype and expected.shape == actual.shape and np.array_equal(expected, actual)
    told = actual if isinstance(actual, str) else f"{actual.dtype}{list(actual.shape)} {actual.tolist()}"
    print(f"{label}: expected {expected.dtype}{list(expected.shape)} {expected.tolist()}, actual {told}: {'right' if same else 'WRONG'}")
    return not same


x = np.array([1, 2], np.float32)
bug = wrong("no indices", x[:0], run("Gather", [x, np.array([], np.int64)], constants=(1,))[0])
control = wrong("control, no indices, as an input", x[:0], run("Gather", [x, np.array([], np.int64)])[0])

if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
