"""What is put together once around a decomposition is what torch.export puts together each time."""

from __future__ import annotations

import unittest
from importlib.util import find_spec
from unittest import mock

if find_spec("torch"):
    import torch
    from torch import _decomp as decomp
    from torch._decomp.decompositions_for_rng import PhiloxState
    from torch._export import utils as export_utils

    from adapters.torch import decomposition_tables
    from adapters.torch.decomposition_tables import DecompositionTables, make_random_state_late


@unittest.skipUnless(find_spec("torch"), "this Python has no torch")
class DecompositionTablesTest(unittest.TestCase):
    def setUp(self) -> None:
        for where, name in (
            (decomp, "_core_aten_decompositions_post_autograd"),
            (export_utils, "_check_valid_to_preserve"),
        ):
            kept = mock.patch.object(where, name, getattr(where, name))
            kept.start()
            self.addCleanup(kept.stop)

    def test_table_is_the_same_and_each_its_own(self) -> None:
        plain = decomp._core_aten_decompositions_post_autograd()
        DecompositionTables()
        first = decomp._core_aten_decompositions_post_autograd()
        self.assertEqual(list(first.items()), list(plain.items()))
        first.clear()
        self.assertEqual(decomp._core_aten_decompositions_post_autograd(), plain)

    def test_new_decomposition_is_noticed(self) -> None:
        DecompositionTables()
        before = decomp._core_aten_decompositions_post_autograd()
        registry = decomp.global_decomposition_table["post_autograd"]
        with mock.patch.dict(registry):
            registry.pop(torch.ops.aten.addcdiv.default)
            without = decomp._core_aten_decompositions_post_autograd()
        self.assertNotIn(torch.ops.aten.addcdiv.default, without)
        self.assertEqual(decomp._core_aten_decompositions_post_autograd(), before)

    def test_preservable_as_before(self) -> None:
        aten = torch.ops.aten
        ops = [aten.linear.default, aten.add_.Tensor, aten.view.default, aten.silu.default, aten.matmul.default]
        plain = [export_utils._check_valid_to_preserve(op) for op in ops]
        tables = DecompositionTables()
        for _ in range(2):
            self.assertEqual([export_utils._check_valid_to_preserve(op) for op in ops], plain)
        tables.forget()
        self.assertEqual([export_utils._check_valid_to_preserve(op) for op in ops], plain)

    def test_operation_of_a_case_is_asked_anew(self) -> None:
        asked = mock.Mock(return_value=True)
        with mock.patch.object(export_utils, "_check_valid_to_preserve", asked):
            DecompositionTables()
            with torch.library._scoped_library("parallax_tables", "DEF") as library:
                library.define("own(Tensor x) -> Tensor")
                for op in (torch.ops.parallax_tables.own.default, torch.ops.aten.silu.default):
                    for _ in range(2):
                        self.assertTrue(export_utils._check_valid_to_preserve(op))
        self.assertEqual(asked.call_count, 3)


@unittest.skipUnless(find_spec("torch"), "this Python has no torch")
class RandomStateTest(unittest.TestCase):
    def setUp(self) -> None:
        reset = mock.patch.object(PhiloxState, "reset", decomposition_tables._reset)
        reset.start()
        self.addCleanup(reset.stop)

    def test_late_state_is_an_early_one(self) -> None:
        early = PhiloxState()
        make_random_state_late()
        late = PhiloxState()
        self.assertNotIn("seed", vars(late))
        for state in (early, late):
            with self.assertRaises(AssertionError):
                state.get_state_as_tuple()
        late.advance_offset(4)
        self.assertEqual((late.seed.numel(), late.relative_offset), (0, 4))
        self.assertTrue(late.offset_advanced_at_least_once)
        late.set_state(torch.tensor(7), torch.tensor(3))
        self.assertEqual([int(one) for one in late.get_state_as_tuple()], [7, 3])
        late.reset()
        self.assertEqual((late.seed.numel(), late.relative_offset), (0, 0))
        with self.assertRaises(AttributeError):
            _ = late.nothing


if __name__ == "__main__":
    unittest.main()
