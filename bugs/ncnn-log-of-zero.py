"""ncnn 1.0.20261020: UnaryOp log in vectors is NaN at 0 and 88.72 at infinity."""
import sys
import tempfile

import ncnn
import numpy as np


def run(layer, x):
    net = ncnn.Net()
    net.opt.num_threads = 1
    for name in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage"):
        setattr(net.opt, name, False)
    kind, _, parameters = layer.partition(" ")
    assert net.load_param_mem(f"7767517\n2 2\nInput i 0 1 x 0={x.size}\n{kind} l 1 1 x y {parameters}\n") == 0
    with tempfile.NamedTemporaryFile() as file:
        net.load_model(file.name)
    extractor = net.create_extractor()
    extractor.input("x", ncnn.Mat(x).clone())
    return np.array(extractor.extract("y")[1])


def wrong(label, actual, expected):
    same = np.allclose(actual, expected, rtol=1e-5, atol=1e-6)
    print(f"{label}: expected {expected.tolist()}, actual {actual.tolist()}: {'right' if same else 'WRONG'}")
    return not same


def f(*numbers):
    return np.array(numbers, np.float32)


LOG, LOG10, POWER, LAYER = "UnaryOp 0=8", "UnaryOp 0=17", "BinaryOp 0=6 1=1 2=2.0", "Log 0=-1.0 1=1.0 2=0.0"
x, y = f(0, np.inf, 1, 8), f(0.5, 1e30, 1, 8)
with np.errstate(divide="ignore"):
    expected = np.log(x)
bug = wrong("UnaryOp log, 4 elements", run(LOG, x), expected)
bug |= wrong("UnaryOp log10, 4 elements", run(LOG10, x), f(-np.inf, np.inf, 0, 0.90309))
bug |= wrong("BinaryOp pow 2 of zeros, 4 elements", run(POWER, f(0, 0, 1, 8)), f(0, 0, 1, 64))
control = wrong("control, the layer Log, of the same numbers", run(LAYER, x), expected)
control |= wrong("control, UnaryOp log of neither 0 nor infinity", run(LOG, y), np.log(y))
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
