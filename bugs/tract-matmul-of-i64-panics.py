"""A MatMul of int64 (or uint32, uint64) aborts the process. Exit 1 where the bug shows."""

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


def dies(kind):
    """Whether it fails in a process of its own."""
    child = os.fork()
    if child == 0:
        x, w = np.array([[2], [5]], dtype=kind), np.array([[1, 2, 3]], dtype=kind)
        text = f"g ({kind}[2,1] x, {kind}[1,3] w) => ({kind}[2,3] y) {{ y = MatMul(x, w) }}"
        os._exit(0 if compare(kind, text, [x, w], x @ w) else 1)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        print(kind, "| expected [[2, 4, 6], [5, 10, 15]] | the process died of signal", os.WTERMSIG(status))
        sys.stdout.flush()
    return status != 0


if dies("int32"):
    print("the control must be right")
    sys.exit(2)
bug = dies("int64")
dies("uint32")
dies("uint64")
sys.exit(1 if bug else 0)
