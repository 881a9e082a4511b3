"""Inductor refuses to quantize float16, which eager and bfloat16 do: an assertion. Exit 1 where the bug shows."""

import logging
import sys
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
import torch
import torch.ao.quantization.fx._decomposed  # declares quantized_decomposed

decomposed = torch.ops.quantized_decomposed
INT8 = (-128, 127, torch.int8)
SCALE, ZERO_POINT = torch.tensor([0.5]), torch.tensor([0])


def by_tensor(x):
    return decomposed.quantize_per_tensor(x, 0.5, 0, *INT8)


def by_scale_in_a_tensor(x):
    return decomposed.quantize_per_tensor.tensor(x, SCALE, ZERO_POINT, *INT8)


def by_channel(x):
    return decomposed.quantize_per_channel(x, torch.tensor([0.5, 1.0]), torch.tensor([0, 0]), 0, *INT8)


def run(f, backend, x):
    torch._dynamo.reset()
    try:
        return (torch.compile(f, backend=backend, fullgraph=True) if backend else f)(x).tolist()
    except Exception as error:
        return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0][:120]}"


def shows(name, f, dtype):
    found = {backend or "expected": run(f, backend, torch.tensor([1.0, 2.0], dtype=dtype)) for backend in (None, "eager", "aot_eager", "inductor")}
    print(name)
    for backend, one in found.items():
        print(f"  {backend:9} {one}")
    return any(one != found["expected"] for one in found.values())


bug = shows("quantize_per_tensor of float16", by_tensor, torch.float16)
bug |= shows("quantize_per_tensor.tensor of float16", by_scale_in_a_tensor, torch.float16)
bug |= shows("quantize_per_channel of float16", by_channel, torch.float16)
control = shows("control: quantize_per_tensor of bfloat16", by_tensor, torch.bfloat16)
control |= shows("control: quantize_per_tensor.tensor of bfloat16", by_scale_in_a_tensor, torch.bfloat16)
control |= shows("control: quantize_per_channel of bfloat16", by_channel, torch.bfloat16)
control |= shows("control: quantize_per_tensor of float32", by_tensor, torch.float32)
control |= shows("control: quantize_per_tensor of float16 made a float32", lambda x: by_tensor(x.float()), torch.float16)
sys.exit(2 if control else int(bug))
