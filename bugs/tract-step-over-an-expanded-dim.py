"""A Slice with a step, along a dim that an Expand repeats or keeps, does not load. Exit 1 where the bug shows."""

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
        print(label, "| expected", expected.tolist(), "| error:", [line.strip() for line in str(error).splitlines() if line.strip() and "ModelPatch" not in line][-1])
    sys.stdout.flush()
    return right


def right(label, x, step):
    expected = np.broadcast_to(x, (3, 2))[::step]
    text = (f"g (float[{x.shape[0]},{x.shape[1]}] x) => (float[{len(expected)},2] y) <int64[2] e = {{3, 2}}, int64[1] z = {{0}}, int64[1] n = {{3}}, "
            f"int64[1] s = {{{step}}}> {{ a = Expand(x, e) y = Slice(a, z, n, z, s) }}")
    return compare(label, text, [x], expected)


row, column = np.array([[1, 2]], dtype=np.float32), np.array([[1], [2], [3]], dtype=np.float32)
if not right("dim 0 repeated, step 1", row, 1) or not right("dim 0 kept, step 1", column, 1):
    print("the control must be right")
    sys.exit(2)
repeated, kept = right("dim 0 repeated, step 2", row, 2), right("dim 0 kept, step 2", column, 2)
sys.exit(0 if repeated and kept else 1)
