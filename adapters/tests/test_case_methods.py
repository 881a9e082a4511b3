"""The methods of a case as graphs of their own, with the buffers that they share."""

from __future__ import annotations

import unittest

from adapters.worker.case_methods import called_methods, method_graph, with_methods, zero_feed
from adapters.worker.case_text import random_numbers

CASE = {
    "graph": {
        "inputs": {"x": {"type": "f32[2]"}},
        "storages": {"m": {"type": "f32[4]", "data": [0, 0, 0, 0]}, "fed": {"type": "f32[2]"}},
        "buffers": {"s": {"type": "f32[2]", "storage": "m"}},
        "nodes": [],
        "outputs": ["%s"],
    },
    "methods": {"decode": {"inputs": {"y": {"type": "f32[2]"}}, "nodes": [], "outputs": ["%y"]}},
    "runs": [{"feed": {}}, {"feed": {}, "method": "decode"}],
}


class Methods(unittest.TestCase):
    def test_a_method_has_the_buffers_and_what_they_lie_in(self) -> None:
        graph = with_methods(CASE, CASE["graph"])
        decode = method_graph(graph, "decode")
        self.assertEqual(decode["buffers"], CASE["graph"]["buffers"])
        self.assertEqual(list(decode["storages"]), ["m"])
        self.assertIs(method_graph(graph, None), graph)

    def test_a_case_without_methods_is_its_graph(self) -> None:
        self.assertIs(with_methods({"graph": {}}, CASE["graph"]), CASE["graph"])

    def test_each_run_says_what_it_calls(self) -> None:
        self.assertEqual(called_methods(CASE), [None, "decode"])
        self.assertEqual(called_methods({"feed": {}}), [None])

    def test_a_feed_of_zeros(self) -> None:
        feed = zero_feed(CASE["methods"]["decode"])
        self.assertEqual(random_numbers(feed["y"]["random"], 2), [0, 0])


if __name__ == "__main__":
    unittest.main()
