"""Inductor's quantize_per_tensor.tensor on a CPU does not clamp to its range and rounds behind the zero point. Exit 1 where the bug shows."""

import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import torch
import torch.ao.quantization.fx._decomposed  # declares quantized_decomposed

decomposed = torch.ops.quantized_decomposed


def quantize(low, high, dtype):
    return lambda x, scale, zero_point: decomposed.quantize_per_tensor.tensor(x, scale, zero_point, low, high, dtype)


def by_number(low, high, dtype):
    return lambda x, scale, zero_point: decomposed.quantize_per_tensor(x, 1.0, 0, low, high, dtype)


def short(values):
    return f"{len(values)} times {values[0]}" if len(values) > 4 and len(set(values)) == 1 else values


def run(f, backend, x, zero_point):
    torch._dynamo.reset()
    f = torch.compile(f, backend=backend, fullgraph=True, dynamic=False) if backend else f
    return f(torch.tensor(x), torch.tensor([1.0]), torch.tensor([zero_point])).tolist()


def shows(name, f, x, zero_point=0):
    found = {backend or "expected": run(f, backend, x, zero_point) for backend in (None, "eager", "aot_eager", "inductor")}
    print(f"{name}: {short(x)}")
    for backend, one in found.items():
        print(f"  {backend:9} {short(one)}")
    return any(one != found["expected"] for one in found.values())


int8, int16 = (-128, 127, torch.int8), (-32768, 32767, torch.int16)
bug = shows("to -8 .. 7", quantize(-8, 7, torch.int8), [-20.0, -5.0, 5.0, 20.0])
bug |= shows("uint8 to 0 .. 127", quantize(0, 127, torch.uint8), [1.0, 127.0, 128.0, 255.0])
bug |= shows("to int8", quantize(*int8), [1000.0])
bug |= shows("to int8", quantize(*int8), [1000.0] * 16)
bug |= shows("to int8", quantize(*int8), [1e10] * 16)
bug |= shows("to int16", quantize(*int16), [1.75, -1.75, 40000.0])
bug |= shows("to int16", quantize(*int16), [1.75] * 16)
bug |= shows("to int8, zero point 1", quantize(*int8), [0.5, 1.5, 2.5], 1)
control = shows("control: to -8 .. 7 by a scale that is a number", by_number(-8, 7, torch.int8), [-20.0, -5.0, 5.0, 20.0])
control |= shows("control: to int8 by a scale that is a number", by_number(*int8), [1000.0])
control |= shows("control: to int8, values in its range", quantize(*int8), [-20.0, -5.0, 5.25, 20.0])
sys.exit(2 if control else int(bug))
