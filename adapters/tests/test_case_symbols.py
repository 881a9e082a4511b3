"""Symbols of a case as adapters read them."""

from __future__ import annotations

import unittest

from adapters.worker.case_symbols import Relation, at_sizes, number, program_graph, relation, sizes_of, symbolic_dims
from adapters.worker.case_text import fed

CASE = {
    "symbols": {"B": [1, 4]},
    "graph": {
        "inputs": {"x": {"type": "f32[B,2]"}, "y": {"type": "f32[2*B+1]"}, "z": {"type": "f32[3]"}},
        "nodes": [{"out": "a", "op": "aten.view.default", "args": ["%x", ["$2*B"]], "kwargs": {"k": "$B-1"}}],
        "outputs": ["%a"],
    },
}


class SymbolsTest(unittest.TestCase):
    def test_relations_are_read(self) -> None:
        self.assertEqual(relation("B"), Relation("B"))
        self.assertEqual(relation("2*B-1"), Relation("B", 2, -1))
        self.assertIsNone(relation("12"))
        self.assertEqual(number("$B+3"), Relation("B", 1, 3))
        self.assertIsNone(number("%B"))
        self.assertIsNone(number(3))

    def test_a_program_is_of_the_bound(self) -> None:
        graph = program_graph(CASE)
        self.assertEqual([spec["type"] for spec in graph["inputs"].values()], ["f32[4,2]", "f32[9]", "f32[3]"])
        self.assertEqual(symbolic_dims(graph, "y"), {0: Relation("B", 2, 1)})
        self.assertEqual(symbolic_dims(graph, "z"), {})

    def test_a_graph_without_symbols_stays(self) -> None:
        plain = {"graph": {"inputs": {}, "nodes": [], "outputs": []}}
        self.assertIs(program_graph(plain), plain["graph"])
        self.assertIs(at_sizes(plain["graph"], {}), plain["graph"])

    def test_a_symbol_of_one_size_is_a_number(self) -> None:
        graph = program_graph({**CASE, "symbols": {"B": [4, 4]}})
        self.assertNotIn("symbols", graph)
        self.assertEqual(symbolic_dims(graph, "y"), {})
        self.assertEqual(graph["nodes"][0]["args"], ["%x", [8]])

    def test_a_graph_at_other_sizes_has_no_symbols(self) -> None:
        graph = program_graph(CASE)
        feed = {"x": {"type": "f32[3,2]", "data": [0] * 6}, "y": {"type": "f32[7]", "data": [0] * 7}, "z": [1, 2, 3]}
        self.assertEqual(sizes_of(graph, feed), {"B": 3})
        plain = at_sizes(graph, {"B": 3})
        self.assertEqual([spec["type"] for spec in plain["inputs"].values()], ["f32[3,2]", "f32[7]", "f32[3]"])
        self.assertEqual(plain["nodes"][0]["args"], ["%x", [6]])
        self.assertEqual(plain["nodes"][0]["kwargs"], {"k": 2})
        self.assertNotIn("symbols", plain)
        self.assertEqual(fed("f32[4,2]", feed["x"]), ("f32[3,2]", [0] * 6))
        self.assertEqual(fed("f32[3]", feed["z"]), ("f32[3]", [1, 2, 3]))


if __name__ == "__main__":
    unittest.main()
