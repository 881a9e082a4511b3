"""What the lowering to CMSIS-NN makes of quantized calls. Skipped where ExecuTorch and its serializer of TOSA are not
installed."""

from __future__ import annotations

import importlib.util
import unittest

for _package in ("torch", "executorch", "tosa_serializer"):
    if importlib.util.find_spec(_package) is None:
        raise unittest.SkipTest(f"this Python has no {_package}")

import torch
from torch.ao.quantization.fx import _decomposed  # noqa: F401 - registers the calls

from adapters.executorch import cortex_m, tosa
from adapters.executorch.cortex_m import lower_to_cortex_m

quantized = torch.ops.quantized_decomposed
I8 = (-128, 127, torch.int8)


class Block(torch.nn.Module):
    """A convolution by channels with a relu, and a sum of two scales behind it."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.register_buffer("weight", torch.randint(-127, 127, (6, 3, 3, 3), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(6) * 0.01 + 0.001)
        self.register_buffer("zeros", torch.zeros(6, dtype=torch.int64))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = quantized.quantize_per_tensor.default(x, 0.05, 3, *I8)
        x = quantized.dequantize_per_tensor.default(x, 0.05, 3, *I8)
        weight = quantized.dequantize_per_channel.default(
            self.weight, self.scales, self.zeros, 0, -127, 127, torch.int8
        )
        y = torch.relu(torch.nn.functional.conv2d(x, weight, padding=1))
        y = quantized.quantize_per_tensor.default(y, 0.2, -128, *I8)
        y = quantized.dequantize_per_tensor.default(y, 0.2, -128, *I8)
        total = quantized.quantize_per_tensor.default(y + y, 0.3, -128, *I8)
        return quantized.dequantize_per_tensor.default(total, 0.3, -128, *I8)


class Computed(torch.nn.Module):
    """A linear layer whose weight has parameters that are computed: no quantizer writes it."""

    def forward(self, x: torch.Tensor, weight: torch.Tensor, zeros: torch.Tensor) -> torch.Tensor:
        x = quantized.dequantize_per_tensor.default(x, 0.05, 3, *I8)
        scales = weight.abs().amax(1) / 127
        integers = quantized.quantize_per_channel.default(weight, scales, zeros, 0, *I8)
        known = quantized.dequantize_per_channel.default(integers, scales, zeros, 0, *I8)
        return quantized.quantize_per_tensor.default(torch.nn.functional.linear(x, known), 0.2, 0, *I8)


class CortexMTest(unittest.TestCase):
    def test_calls_of_8_bits_become_calls_on_integers(self) -> None:
        module, x = Block(), torch.randn(1, 3, 8, 8)
        program, facts = lower_to_cortex_m(torch.export.export(module, (x,), strict=False))
        self.assertEqual(facts, {"fused": 2, "fusable": 2})
        # Two requantizations, each off by a step at most.
        torch.testing.assert_close(program.module()(x), module(x), rtol=0, atol=0.61)

    def test_parameters_that_are_computed_stay_in_floats(self) -> None:
        given = (
            torch.randint(-128, 127, (2, 8), dtype=torch.int8),
            torch.randn(4, 8),
            torch.zeros(4, dtype=torch.int64),
        )
        program, facts = lower_to_cortex_m(torch.export.export(Computed(), given, strict=False))
        self.assertEqual(facts["fused"], 0)
        self.assertTrue(torch.equal(program.module()(*given), Computed()(*given)))


class GreetingTest(unittest.TestCase):
    def test_what_runs_a_lowered_program_as_it_is_has_no_switches_of_the_last_step(self) -> None:
        for target in (tosa, cortex_m):
            with self.subTest(target=target.__name__):
                self.assertEqual(target.make([]).hello()["switches"], {})


if __name__ == "__main__":
    unittest.main()
