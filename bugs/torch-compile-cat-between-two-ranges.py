"""Inductor takes out the dequantize and quantize around reshape and cat though their ranges or dtypes differ. Exit 1 where the bug shows."""

import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import torch
import torch.ao.quantization.fx._decomposed  # declares quantized_decomposed

decomposed = torch.ops.quantized_decomposed
WHOLE = {torch.int8: (-128, 127), torch.uint8: (0, 255)}


def quantize(y, low, high, dtype):
    return decomposed.quantize_per_tensor(y, 0.5, 0, low, high, dtype)


def dequantize(x):
    return decomposed.dequantize_per_tensor(x, 0.5, 0, *WHOLE[x.dtype], x.dtype)


def run(f, backend, inputs):
    torch._dynamo.reset()
    try:
        result = (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(*inputs)
    except Exception as error:
        return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:90]}"
    return f"{result.tolist()} {result.dtype}"


def shows(name, f, *inputs):
    found = {backend or "expected": run(f, backend, inputs) for backend in (None, "eager", "aot_eager", "inductor")}
    print(name)
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["expected"] for one in found.values())


def flatten(low, high, dtype):
    return lambda x: quantize(dequantize(x).reshape(2), low, high, dtype)


def join(low, high, dtype):
    return lambda x, y: quantize(torch.cat([dequantize(x), dequantize(y)], 1), low, high, dtype)


x, negative = torch.tensor([[4, 200]], dtype=torch.uint8), torch.tensor([[-4, 100]], dtype=torch.int8)
bug = shows("reshape, quantized to 0 .. 50", flatten(0, 50, torch.uint8), x)
bug |= shows("reshape of uint8, quantized to int8", flatten(-128, 127, torch.int8), x)
bug |= shows("cat, quantized to 0 .. 50", join(0, 50, torch.uint8), x, x)
bug |= shows("cat of uint8, quantized to int8", join(-128, 127, torch.int8), x, x)
bug |= shows("cat of uint8 and int8", join(0, 255, torch.uint8), x, negative)
control = shows("control: reshape, quantized to 0 .. 255", flatten(0, 255, torch.uint8), x)
control |= shows("control: cat, quantized to 0 .. 255", join(0, 255, torch.uint8), x, x)
control |= shows("control: abs, quantized to 0 .. 50", lambda x: quantize(dequantize(x).abs(), 0, 50, torch.uint8), x)
sys.exit(2 if control else int(bug))
