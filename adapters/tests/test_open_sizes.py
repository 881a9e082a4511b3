"""Imports at several sizes laid side by side."""

from __future__ import annotations

import unittest
from typing import Any

from adapters.importing.open_sizes import Range, bound_of, with_symbols

Json = dict[str, Any]


def imported(sizes: dict[str, int]) -> Json:
    """What an import makes of a program at these sizes: `c` takes a number that follows S in no straight line."""
    b, s = sizes["B"], sizes["S"]
    return {
        "graph": {
            "inputs": {"x": {"type": f"f32[{b},{s}]"}},
            "nodes": [
                {"out": "a", "op": "aten.view.default", "args": ["%x", [b * s]]},
                {"out": "b", "op": "aten.slice.Tensor", "args": ["%a", 0, 1, 2 * b + 1]},
            ],
            "outputs": ["%b"],
        },
        "feed": {"x": [0] * (b * s)},
    }


class OpenSizesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.notes: list[str] = []

    def opened(self, change: Any = None) -> Json:
        def at(sizes: dict[str, int]) -> Json:
            case = imported(sizes)
            if change:
                change(case, sizes)
            return case

        example = {"B": 3, "S": 4}
        ranges = {"B": Range(1, None, 3), "S": Range(1, 5, 4)}
        return with_symbols(at(example), at, ranges, self.notes.append)

    def test_what_follows_a_symbol_is_written_so(self) -> None:
        case = self.opened()
        self.assertEqual(case["symbols"], {"B": [1, 8], "S": [1, 5]})
        self.assertEqual(case["graph"]["inputs"]["x"]["type"], "f32[B,S]")
        self.assertEqual(case["graph"]["nodes"][0]["args"], ["%x", [-1]])  # a product
        self.assertEqual(case["graph"]["nodes"][1]["args"], ["%a", 0, 1, "$2*B+1"])
        self.assertEqual(case["runs"], [{"feed": {"x": {"type": "f32[3,4]", "data": [0] * 12}}}])
        self.assertNotIn("feed", case)
        self.assertEqual(
            self.notes,
            ["symbol B (1 and up) stays open, from 1 to 8", "symbol S (1 to 5) stays open, from 1 to 5"],
        )

    def test_a_symbol_that_a_number_follows_in_no_step_is_fixed(self) -> None:
        def square(case: Json, sizes: dict[str, int]) -> None:
            case["graph"]["nodes"][1]["args"][3] = sizes["S"] ** 2

        case = self.opened(square)
        self.assertEqual(list(case["symbols"]), ["B"])
        self.assertEqual(case["graph"]["inputs"]["x"]["type"], "f32[B,4]")
        self.assertIn("symbol S is fixed at 4: a number of node b (aten.slice.Tensor) follows no symbol", self.notes)

    def test_another_graph_at_one_is_kept_out_of_the_range(self) -> None:
        def skip(case: Json, sizes: dict[str, int]) -> None:
            if sizes["B"] == 1:
                del case["graph"]["nodes"][1]

        self.assertEqual(self.opened(skip)["symbols"], {"B": [2, 8], "S": [1, 5]})

    def test_bounds(self) -> None:
        self.assertEqual(bound_of(Range(1, None, 3)), 8)
        self.assertEqual(bound_of(Range(1, 512, 7)), 14)
        self.assertEqual(bound_of(Range(1, 5, 4)), 5)


if __name__ == "__main__":
    unittest.main()
