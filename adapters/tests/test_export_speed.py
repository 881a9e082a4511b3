"""What is made once is what torch.export makes each time."""

from __future__ import annotations

import unittest
from importlib.util import find_spec
from unittest import mock

if find_spec("torch"):
    import torch
    from torch.export import exported_program

    from adapters.torch.export_speed import CompositeOverrides


@unittest.skipUnless(find_spec("torch"), "this Python has no torch")
class CompositeOverridesTest(unittest.TestCase):
    def test_decomposes_as_torch_export_does(self) -> None:
        class Module(torch.nn.Module):
            def forward(self, x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
                y = torch.nn.functional.linear(torch.nn.functional.silu(x), w)
                return torch.nn.functional.softplus(torch.matmul(y, w.t()).reshape(-1)) + x.sum()

        def decomposed(size: int) -> list[str]:
            inputs = (torch.ones(size, size), torch.ones(size, size))
            exported = torch.export.export(Module(), inputs, strict=False)
            core = exported.run_decompositions()
            none = core.run_decompositions({})
            return [str(program.graph) for program in (exported, core, none)]

        plain = [decomposed(size) for size in (2, 3, 4, 5)]
        original = exported_program._override_composite_implicit_decomp
        made_anew = 0

        def counted(decompositions: dict) -> object:
            nonlocal made_anew
            made_anew += 1
            return original(decompositions)

        with mock.patch.object(exported_program, "_override_composite_implicit_decomp", counted):
            CompositeOverrides()
            self.assertEqual([decomposed(size) for size in (2, 3, 4, 5)], plain)
        self.assertLess(made_anew, 10)  # of sixteen
        self.assertEqual([decomposed(size) for size in (2, 3, 4, 5)], plain)


if __name__ == "__main__":
    unittest.main()
