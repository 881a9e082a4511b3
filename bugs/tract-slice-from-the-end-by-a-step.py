"""A Slice from the last element by a step over an open dim. Exit 1 where the bug shows."""

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


x = np.arange(3, dtype="f4")
text = "g (float[{}] x) => (float[1] y) <int64[1] s = {{-1}}, int64[1] e = {{9223372036854775807}}, int64[1] a = {{0}}, int64[1] t = {{3}}> {{ y = Slice(x, s, e, a, t) }}"
if not compare("3 elements, stated", text.format(3), [(x,)], [x[-1::3]]):
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if compare("B elements", text.format("B"), [(x,)], [x[-1::3]]) else 1)
