"""A graph that comes again is not built again; one that differs in anything is."""

from __future__ import annotations

import unittest

from adapters.worker.last_program import forget_program, remembered


class RememberedTest(unittest.TestCase):
    def test_builds_a_graph_once_and_another_one_anew(self) -> None:
        built: list[object] = []

        def build(graph: dict, feed: int) -> int:
            built.append((graph, feed))
            return len(built)

        again = remembered(build)
        a = {"nodes": [1], "constants": {"c": {"data": [1.0]}}}
        b = {"nodes": [1], "constants": {"c": {"data": [2.0]}}}
        self.assertEqual([again(a, 1), again(dict(a), 2), again(b, 3), again(a, 4)], [1, 1, 2, 3])

    def test_builds_anew_once_where_somebody_asked(self) -> None:
        built: list[int] = []

        def build(graph: dict) -> int:
            built.append(1)
            return len(built)

        again = remembered(build)
        first = again({})
        forget_program()
        self.assertEqual([first, again({}), again({})], [1, 2, 2])

    def test_does_not_remember_what_failed(self) -> None:
        calls: list[int] = []

        def build(graph: dict) -> None:
            calls.append(1)
            raise ValueError("no")

        again = remembered(build)
        for _ in range(2):
            with self.assertRaises(ValueError):
                again({})
        self.assertEqual(len(calls), 2)


if __name__ == "__main__":
    unittest.main()
