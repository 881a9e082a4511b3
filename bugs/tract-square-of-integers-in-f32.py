"""The square of int32 is computed in f32. Exit 1 where the bug shows."""

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


def right(name, node, value):
    x = np.full(2, value, np.int32)
    actual = run(f"g (int32[2] x) => (int32[2] y) <int32 two = {{2}}> {{ y = {node} }}", x)[0]
    expected = [value * value] * 2
    same = actual.dtype == np.int32 and actual.tolist() == expected
    print(f"{name} of {value} | expected {expected} | actual {actual.tolist()} | {'right' if same else 'WRONG'}")
    return same


nodes = {"Mul(x, x)": "Mul (x, x)", "Pow(x, 2)": "Pow (x, two)"}
bug = [name for name, node in nodes.items() if not right(name, node, 4097)]
if not all([right(name, node, 4096) for name, node in nodes.items()]):
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if bug else 0)
