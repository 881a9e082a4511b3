"""QuantizeLinear with as many scales as there are channels: none."""

import os
import sys
import tempfile

os.environ["RUST_BACKTRACE"] = "0"
import numpy as np
import onnx
import onnx.parser
import tract


def run(text, **feed):
    model = onnx.parser.parse_model('<ir_version: 9, opset_import: ["" : 20]> ' + text)
    onnx.checker.check_model(model, full_check=True)
    with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
        file.write(model.SerializeToString())
        file.flush()
        runnable = tract.onnx().load(file.name).into_model().into_runnable()
    return [tensor.to_numpy() for tensor in runnable.run(list(feed.values()))]


def compare(label, expected, text, **feed):
    """True if the last result is what ONNX says."""
    expected = np.array(expected)
    try:
        actual = np.asarray(run(text, **feed)[-1])
        right = actual.shape == expected.shape and np.allclose(actual, expected, rtol=1e-5, atol=1e-6)
        print(label, "| expected", expected.tolist(), "| actual", actual.tolist(), "|", "right" if right else "WRONG")
    except Exception as error:
        right = False
        print(label, "| expected", expected.tolist(), "| error:", str(error).strip().splitlines()[-1].strip()[:120])
    sys.stdout.flush()
    return right

import subprocess

TEXT = "g (float[N] x) => (int8[N] y) <float[N] s = {S}, int8[N] z = {Z}> { y = QuantizeLinear<axis=0>(x, s, z) }"


def filled(n):
    return TEXT.replace("N", str(n)).replace("S", ", ".join(["0.5"] * n), 1).replace("{Z}", "{" + ", ".join("0" * n) + "}")


if "--crash" in sys.argv:
    run(filled(0), x=np.zeros(0, dtype=np.float32))
    sys.exit(0)
control = compare("two channels", [2, 4], filled(2), x=np.array([1, 2], dtype=np.float32))
code = subprocess.run([sys.executable, __file__, "--crash"], stderr=subprocess.DEVNULL).returncode
bug = code == 0
print("no channels | expected no elements |", "right" if bug else f"the process ends with signal {-code}")
if not control:
    print("the control must be right")
    sys.exit(2)
sys.exit(0 if bug else 1)
