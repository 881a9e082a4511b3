"""A Slice of an open dim that ends beyond it. Exit 1 where the bug shows."""

import os
import sys
import tempfile

os.environ["RUST_BACKTRACE"] = "0"
import numpy as np
import onnx
import onnx.parser
import tract


def run(text, *runs):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    with tempfile.TemporaryDirectory() as folder:
        onnx.save(model, folder + "/model.onnx")
        runnable = tract.onnx().load(folder + "/model.onnx").into_model().into_runnable()
    return [runnable.run(list(arrays))[0].to_numpy() for arrays in runs]


def compare(label, text, runs, expected):
    """Whether all runs give what ONNX says."""
    try:
        actual = run(text, *runs)
    except Exception as error:
        print(label, "| error:", str(error).strip().splitlines()[-1].strip()[:160])
        return False
    right = all(a.shape == e.shape and np.allclose(a, e) for a, e in zip(actual, expected, strict=True))
    print(label, "| expected", [e.tolist() for e in expected], "| actual", [a.tolist() for a in actual], "|", "right" if right else "WRONG")
    return right


x = np.arange(6, dtype="f4").reshape(3, 2)
text = "g (float[{},2] x) => (float[C,2] y) <int64[1] s = {{0}}, int64[1] e = {{2}}, int64[1] a = {{0}}> {{ y = Slice(x, s, e, a) }}"
if not compare("1 row, stated", text.format(1), [(x[:1],)], [x[:1]]) or not compare("B rows, 3", text.format("B"), [(x,)], [x[:2]]):
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if compare("B rows, 1", text.format("B"), [(x[:1],)], [x[:1]]) else 1)
