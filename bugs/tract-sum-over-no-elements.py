"""ONNX: the sum over a dim of 0 is 0. tract divides by the number of elements, and the process aborts. Exit 1."""

import os
import sys
import tempfile

os.environ["RUST_BACKTRACE"] = "0"
import numpy as np
import onnx
import onnx.parser
import tract


def run(text, *arrays):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        runnable = tract.onnx().load(file.name).into_model().into_runnable()
    return [tensor.to_numpy() for tensor in runnable.run(list(arrays))]


def compare(label, text, arrays, expected):
    """True if what tract gives is what ONNX says."""
    try:
        actual = run(text, *arrays)[0]
        right = actual.shape == expected.shape and np.allclose(actual, expected, rtol=1e-6, atol=0)
        print(label, "| expected", expected.tolist(), "| actual", actual.tolist(), "|", "right" if right else "WRONG")
    except tract.TractError as error:
        right = False
        print(label, "| expected", expected.tolist(), "| error:", str(error).strip().splitlines()[-1].strip())
    sys.stdout.flush()
    return right


def call(op, sizes):
    """The reduction over dim 0 of a tensor without elements, and the tensor."""
    dims, kept = ", ".join(map(str, sizes)), ", ".join(map(str, [1, *sizes[1:]]))
    text = f"g (float[{dims}] x) => (float[{kept}] y) {{ d = Constant<value_ints = [0]>() y = {op}<keepdims = 1>(x, d) }}"
    return text, [np.zeros(sizes, dtype=np.float32)]


control = compare("the product of no elements", *call("ReduceProd", [0]), np.array([1], dtype=np.float32))
control &= compare("the sums of no rows of 2", *call("ReduceSum", [0, 2]), np.zeros((1, 2), dtype=np.float32))
if not control:
    print("the control must be right")
    sys.exit(2)
child = os.fork()
if child == 0:
    os._exit(0 if compare("the sum of no elements", *call("ReduceSum", [0]), np.array([0], dtype=np.float32)) else 1)
status = os.waitpid(child, 0)[1]
if os.WIFSIGNALED(status):
    print("the sum of no elements | the process died of signal", os.WTERMSIG(status))
sys.exit(0 if status == 0 else 1)
