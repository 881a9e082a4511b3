"""ncnn 1.0.20261020, Vulkan: BinaryOp pow is GLSL's pow, so that a power of a negative number is NaN: (-2)^3."""
import sys
import tempfile

import ncnn
import numpy as np


def power(vulkan, x, exponent):
    net = ncnn.Net()
    net.opt.num_threads = 1
    net.opt.use_vulkan_compute = vulkan
    for name in ("use_fp16_packed", "use_fp16_storage", "use_fp16_arithmetic", "use_bf16_storage"):
        setattr(net.opt, name, False)
    lines = [f"Input i 0 1 x 0={x.size}", f"BinaryOp l 1 1 x y 0=6 1=1 2={exponent:.1f}"]
    assert net.load_param_mem(f"7767517\n{len(lines)} {len(lines)}\n" + "\n".join(lines) + "\n") == 0
    with tempfile.NamedTemporaryFile() as file:
        net.load_model(file.name)
    extractor = net.create_extractor()
    extractor.input("x", ncnn.Mat(x).clone())
    return np.array(extractor.extract("y")[1])


def wrong(label, vulkan, x, exponent):
    x = np.array(x, np.float32)
    actual, expected = power(vulkan, x, exponent), x**exponent
    same = np.allclose(actual, expected, rtol=1e-4)
    print(f"{label}: expected {expected.tolist()}, actual {actual.tolist()}: {'right' if same else 'WRONG'}")
    return not same


if ncnn.get_gpu_count() == 0:
    raise SystemExit("ncnn finds no Vulkan device; Mesa's lavapipe (mesa-vulkan-drivers) is one")
bug = wrong("Vulkan, ^ 3", True, [-2, -0.4, 3], 3)
control = wrong("control, Vulkan, positive numbers", True, [2, 0.4, 3], 3)
control |= wrong("control, the CPU's layer, a tail of 3", False, [-2, -0.4, 3], 3)
if control:
    print("the control is wrong too")
    sys.exit(2)
sys.exit(1 if bug else 0)
