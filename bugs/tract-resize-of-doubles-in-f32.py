"""A Resize of doubles goes through float32. Exit 1 where the bug shows."""

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


def right(mode, value):
    """True if the one element comes out as it went in, twice."""
    text = f'g (double[1,1,1,1] x) => (double[1,1,1,2] y) <int64[4] sizes = {{1, 1, 1, 2}}> {{ y = Resize <mode = "{mode}"> (x, , , sizes) }}'
    actual = run(text, np.full((1, 1, 1, 1), value))[0]
    same = actual.dtype == np.float64 and actual.shape == (1, 1, 1, 2) and np.allclose(actual, value, rtol=1e-12, atol=0)
    print(f"{mode}, {value} to two | expected {[value, value]} | actual {actual.dtype} {actual.ravel().tolist()} | {'right' if same else 'WRONG'}")
    return same


modes = "nearest", "linear", "cubic"
bug = [mode for mode in modes if not right(mode, 1.000000001)]
if not all([right(mode, 1.5) for mode in modes]):
    print("the control must be right")
    sys.exit(2)
sys.exit(1 if bug else 0)
