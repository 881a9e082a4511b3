import os, sys, tempfile
import numpy as np, ncnn

def run(layer, x):
    folder = tempfile.mkdtemp()
    with open(folder + "/m.param", "w") as f: f.write("7767517\n2 2\nInput x 0 1 x\n" + layer + "\n")
    with open(folder + "/m.bin", "wb") as f: f.write(bytes(16))
    net = ncnn.Net()
    net.opt.num_threads = 1
    assert net.load_param(folder + "/m.param") == 0
    net.load_model(folder + "/m.bin")
    ex = net.create_extractor()
    ex.input("x", ncnn.Mat(x).clone())
    _, y = ex.extract("y")
    return np.array(y.clone())

POW, SQUARE = "BinaryOp p 1 1 x y 0=6 1=1 2=2.0", "UnaryOp p 1 1 x y 0=4"
x = np.array([-3, -1, 2, 0.5], np.float32)
bug = run(POW, x)
controls = [run(SQUARE, x), run(POW, x[:3].copy())]
print("pow 2, 4 elements: expected", x * x, "actual", bug)
print("controls: square", controls[0], "pow 2, 3 elements", controls[1])
wrong = lambda got: not np.allclose(got, (x * x)[: len(got)], rtol=1e-4)
sys.exit(2 if any(map(wrong, controls)) else int(wrong(bug)))
