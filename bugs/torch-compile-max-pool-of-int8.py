"""Inductor makes of a max_pool2d between dequantize and quantize one of bytes, which int8 has no kernel for. Exit 1 where the bug shows."""

import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import torch
import torch.ao.quantization.fx._decomposed  # declares quantized_decomposed

decomposed = torch.ops.quantized_decomposed
RANGE = {torch.int8: (-128, 127), torch.uint8: (0, 255)}


def pool(*args, **options):
    def f(x):
        y = decomposed.dequantize_per_tensor(x, 0.5, 0, *RANGE[x.dtype], x.dtype)
        y = torch.nn.functional.max_pool2d(y, *args, **options)
        return decomposed.quantize_per_tensor(y, 0.5, 0, *RANGE[x.dtype], x.dtype)

    return f


def pool_to_floats(x):
    return torch.nn.functional.max_pool2d(decomposed.dequantize_per_tensor(x, 0.5, 0, -128, 127, torch.int8), 2)


def average(x):
    y = decomposed.dequantize_per_tensor(x, 0.5, 0, -128, 127, torch.int8)
    return decomposed.quantize_per_tensor(torch.nn.functional.avg_pool2d(y, 2), 0.5, 0, -128, 127, torch.int8)


def run(f, backend, x):
    torch._dynamo.reset()
    try:
        return (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x).tolist()
    except Exception as error:
        return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:90]}"


def shows(name, f, dtype=torch.int8):
    x = torch.tensor([[[[4, 2], [3, 100]]]], dtype=dtype)
    found = {backend or "expected": run(f, backend, x) for backend in (None, "eager", "aot_eager", "inductor")}
    print(name)
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["expected"] for one in found.values())


bug = shows("max_pool2d of int8", pool(2))
bug |= shows("max_pool2d of int8, a window of 1", pool(1))
bug |= shows("max_pool2d of int8, padded", pool(2, padding=1))
control = shows("control: max_pool2d of uint8", pool(2), torch.uint8)
control |= shows("control: max_pool2d of int8 to floats", pool_to_floats)
control |= shows("control: avg_pool2d of int8", average)
sys.exit(2 if control else int(bug))
