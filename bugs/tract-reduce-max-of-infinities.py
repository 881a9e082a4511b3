"""The maximum of negative infinities is -inf; tract starts from the smallest finite number and gives that."""

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


inf = np.inf
right = {}
axes = "a = Constant<value_ints = [0]>()"
for kind, x in (("Max", [-inf, -3]), ("Max", [-inf, -inf]), ("Min", [inf, inf])):
    x = np.array(x, dtype=np.float32)
    text = f"g (float[2] x) => (float[1] y) {{ {axes} y = Reduce{kind}(x, a) }}"
    expected = x.max(keepdims=True) if kind == "Max" else x.min(keepdims=True)
    right[kind, x[1]] = compare(f"Reduce{kind} {x}", text, [x], expected)
if not right["Max", -3]:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if all(right.values()) else 1)
