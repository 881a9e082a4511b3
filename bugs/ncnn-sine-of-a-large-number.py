"""sin and cos of large numbers leave [-1, 1]: 13.3 for sin(1e9), -infinity for sin(3e9)

Run by ncnn's interpreter: .targets/ncnn-1.0.20261020/bin/python script.py. The network is a .param of its own.
Exit 1: the bug shows; 0: it does not.
"""
import sys
import tempfile

import ncnn
import numpy as np


def f(*a):
    return np.array(a, "f4")


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


def differs(what, actual, expected):
    print(f"{what}\n  expected {expected.tolist()}\n  actual   {actual.tolist()}")
    return not np.allclose(actual, expected, rtol=1e-3, atol=1e-4)


bug = differs("bug", run("UnaryOp", "0=9", f(1e9, -1e9, 3e9, 1)), np.sin(f(1e9, -1e9, 3e9, 1).astype("f8")))
control = differs("control: arguments of thousands are right", run("UnaryOp", "0=9", f(1e3, -1e3, 3e3, 1)), np.sin(f(1e3, -1e3, 3e3, 1).astype("f8")))
print("the bug shows" if bug else "the bug does not show", "- control", "fails too" if control else "right")
sys.exit(2 if control else 1 if bug else 0)
