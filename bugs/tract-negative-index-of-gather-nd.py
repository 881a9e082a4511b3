"""GatherND and ScatterND take indices from -size to size - 1; tract aborts at a negative one."""

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


x = np.array([1, 2, 3], dtype=np.float32)
gather = "g (float[3] x) => (float[1] y) <int64[1,1] i = {{{}}}> {{ y = GatherND(x, i) }}"
scatter = "g (float[3] x) => (float[3] y) <int64[1,1] i = {{{}}}, float[1] u = {{7.0}}> {{ y = ScatterND<reduction = \"add\">(x, i, u) }}"
if not compare("GatherND 2", gather.format(2), [x], x[2:]):
    print("the control must be right")
    sys.exit(2)
if not compare("ScatterND 2", scatter.format(2), [x], np.array([1, 2, 10], dtype=np.float32)):
    print("the control must be right")
    sys.exit(2)
wrong = 0
for label, text, expected in (("GatherND -1", gather.format(-1), x[2:]),
                              ("ScatterND -1", scatter.format(-1), np.array([1, 2, 10], dtype=np.float32))):
    child = os.fork()
    if child == 0:
        os._exit(0 if compare(label, text, [x], expected) else 1)
    status = os.waitpid(child, 0)[1]
    wrong += status != 0
    if os.WIFSIGNALED(status):
        print(label, "| the process died of signal", os.WTERMSIG(status))
sys.exit(1 if wrong else 0)
