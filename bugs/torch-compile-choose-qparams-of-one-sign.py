"""Inductor's choose_qparams.tensor takes a range that does not hold 0, so values are lost. Exit 1 where the bug shows."""

import sys
import warnings

warnings.filterwarnings("ignore")
import torch
import torch.ao.quantization.fx._decomposed  # declares quantized_decomposed

decomposed = torch.ops.quantized_decomposed
EPS = torch.finfo(torch.float32).eps
INT8 = (-128, 127, torch.int8)


def choose(x):
    return decomposed.choose_qparams.tensor(x, -128, 127, EPS, torch.int8)


def quantized(x):
    scale, zero_point = choose(x)
    q = decomposed.quantize_per_tensor.tensor(x, scale, zero_point, *INT8)
    return decomposed.dequantize_per_tensor.tensor(q, scale, zero_point, *INT8)


class DynamicLinear(torch.nn.Module):
    """What PT2E's convert makes of a dynamically quantized linear."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weight", torch.tensor([[10, 10, 10, 10], [10, 10, 10, -10]], dtype=torch.int8))
        self.register_buffer("scales", torch.tensor([0.1, 0.1]))
        self.register_buffer("zero_points", torch.tensor([0, 0]))

    def forward(self, x):
        w = decomposed.dequantize_per_channel(self.weight, self.scales, self.zero_points, 0, *INT8)
        return torch.nn.functional.linear(quantized(x), w)


def run(f, backend, x):
    torch._dynamo.reset()
    f = torch.compile(f, backend=backend, fullgraph=True) if backend else f
    with torch.no_grad():
        result = f(torch.tensor([x]))
    return [r.flatten().tolist() for r in (result if isinstance(result, tuple) else (result,))]


def shows(name, f, x):
    found = {backend or "expected": run(f, backend, x) for backend in (None, "eager", "aot_eager", "inductor")}
    print(name)
    for backend, values in found.items():
        print(f"  {backend:9}", *([float(f"{v:.6g}") for v in value] for value in values))
    flat = {backend: torch.tensor(sum(values, [])) for backend, values in found.items()}
    return any(not torch.allclose(one, flat["expected"], rtol=1e-3) for one in flat.values())


bug = shows("choose_qparams of [1, 2, 3, 4]: scale, zero point", choose, [1.0, 2.0, 3.0, 4.0])
bug |= shows("quantize and dequantize with these", quantized, [1.0, 2.0, 3.0, 4.0])
bug |= shows("a dynamically quantized linear of [1, 2, 3, 4]", DynamicLinear(), [1.0, 2.0, 3.0, 4.0])
bug |= shows("quantize and dequantize of [10, 10.1, 10.2, 10.3]", quantized, [10.0, 10.1, 10.2, 10.3])
bug |= shows("choose_qparams of [-4, -3, -2, -1]", choose, [-4.0, -3.0, -2.0, -1.0])
bug |= shows("quantize and dequantize with these", quantized, [-4.0, -3.0, -2.0, -1.0])
control = shows("control: choose_qparams of [-1, 2, 3, 4]", choose, [-1.0, 2.0, 3.0, 4.0])
control |= shows("control: quantize and dequantize with these", quantized, [-1.0, 2.0, 3.0, 4.0])
control |= shows("control: a dynamically quantized linear of [-1, 2, 3, 4]", DynamicLinear(), [-1.0, 2.0, 3.0, 4.0])
control |= shows("control: choose_qparams of [0, 2, 3, 4]", choose, [0.0, 2.0, 3.0, 4.0])
control |= shows("control: choose_qparams of [0, 0, 0, 0]", choose, [0.0, 0.0, 0.0, 0.0])
sys.exit(2 if control else int(bug))
