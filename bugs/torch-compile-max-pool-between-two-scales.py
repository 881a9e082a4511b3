"""Inductor pools bytes where the scale, zero point or range behind max_pool2d is another one than before. Exit 1 where the bug shows."""

import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import torch
import torch.ao.quantization.fx._decomposed  # declares quantized_decomposed

decomposed = torch.ops.quantized_decomposed


def between(op, scale=0.5, zero_point=0, low=0, high=255):
    def f(x):
        y = op(decomposed.dequantize_per_tensor(x, 0.5, 0, 0, 255, torch.uint8))
        return decomposed.quantize_per_tensor(y, scale, zero_point, low, high, torch.uint8)

    return f


def max_pool(y):
    return torch.nn.functional.max_pool2d(y, 2)


def average(y):
    return torch.nn.functional.avg_pool2d(y, 2)


def run(f, backend):
    torch._dynamo.reset()
    x = torch.tensor([[[[4, 2, 10, 20], [3, 100, 30, 40]]]], dtype=torch.uint8)
    return (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x).tolist()


def shows(name, f):
    found = {backend or "expected": run(f, backend) for backend in (None, "eager", "aot_eager", "inductor")}
    print(name)
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["expected"] for one in found.values())


bug = shows("scale 0.5 before max_pool2d and 1 behind it", between(max_pool, scale=1.0))
bug |= shows("zero point 0 before it and 10 behind it", between(max_pool, zero_point=10))
bug |= shows("quantized to 0 .. 50", between(max_pool, high=50))
control = shows("control: scale 0.5 before it and behind it", between(max_pool))
control |= shows("control: avg_pool2d with scale 0.5 and 1", between(average, scale=1.0))
sys.exit(2 if control else int(bug))
