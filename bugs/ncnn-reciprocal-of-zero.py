"""ncnn 1.0.20261020: a quotient in vectors is made of an approximate reciprocal, so that 1 / 0 and 1 / infinity are NaN."""
import sys
import tempfile

import ncnn
import numpy as np


def run(kind, parameters, *operands):
    lines = [f"Input i{k} 0 1 x{k} 0={x.size}" for k, x in enumerate(operands)]
    lines.append(f"{kind} l {len(operands)} 1 " + " ".join(f"x{k}" for k in range(len(operands))) + f" y {parameters}")
    net = ncnn.Net()
    net.opt.num_threads = 1
    for name in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage"):
        setattr(net.opt, name, False)
    assert net.load_param_mem(f"7767517\n{len(lines)} {len(lines)}\n" + "\n".join(lines) + "\n") == 0
    with tempfile.NamedTemporaryFile() as file:
        net.load_model(file.name)
    extractor = net.create_extractor()
    for k, x in enumerate(operands):
        extractor.input(f"x{k}", ncnn.Mat(x).clone())
    return np.array(extractor.extract("y")[1])


def wrong(label, actual, expected):
    same = np.allclose(actual, expected, rtol=1e-5)
    print(f"{label}: expected {list(map(float, expected))}, actual {actual.tolist()}: {'right' if same else 'WRONG'}")
    return not same


def f(*numbers):
    return np.array(numbers, np.float32)


x, one, inf = f(0, np.inf, 2, 4), f(1, 1, 1, 1), np.inf
expected = f(inf, 0, 0.5, 0.25)
bug = wrong("BinaryOp div, 4 elements", run("BinaryOp", "0=3", one, x), expected)
bug |= wrong("UnaryOp reciprocal, 4 elements", run("UnaryOp", "0=15", x), expected)
bug |= wrong("UnaryOp rsqrt, 4 elements", run("UnaryOp", "0=6", x), f(inf, 0, 2**-0.5, 0.5))
control = wrong("control, BinaryOp div, 1 element", run("BinaryOp", "0=3", one[:1], x[:1]), expected[:1])
control |= wrong("control, no 0 and no infinity", run("BinaryOp", "0=3", one, f(1, 2, 2, 4)), f(1, 0.5, 0.5, 0.25))
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
