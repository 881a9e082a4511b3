"""A cold and a warm cache, on a stand-in system that leaves in its cache what it compiled."""

from __future__ import annotations

import unittest
from collections.abc import Callable
from typing import Any

from adapters.tests.test_three_runs import Gave
from adapters.worker.system import Stages, UnsupportedError
from adapters.worker.three_runs import Run, three_runs
from adapters.worker.warm_cache import WarmCache, check_loaded


class Multiplier:
    """A system that compiles a factor. What it writes to its cache is `kept` of it."""

    def __init__(self, factor: int, kept: Callable[[int], int]) -> None:
        self._factor = factor
        self._kept = kept
        self._cache = WarmCache()

    def start(self) -> Run:
        (self._cache.empty() / "factor").write_text(str(self._kept(self._factor)))
        return self._instance(self._factor)

    def start_warm(self) -> Run:
        return self._instance(int((self._cache.filled() / "factor").read_text()))

    @staticmethod
    def _instance(factor: int) -> Run:
        return lambda feed: Gave(factor * feed["x"][0])


CASE = {"runs": [{"feed": {"x": [2]}}, {"feed": {"x": [5]}}]}


def reply_of(system: Multiplier) -> dict[str, Any]:
    return three_runs({"case": CASE}, Stages(), system.start, system.start_warm)


class Warm(unittest.TestCase):
    def test_a_cache_that_is_right_changes_nothing(self) -> None:
        reply = reply_of(Multiplier(3, lambda factor: factor))
        self.assertEqual(reply["again"], Gave(6).encode())
        self.assertEqual(reply["later_again"], reply["later"])

    def test_all_runs_again_are_from_the_warm_cache(self) -> None:
        reply = reply_of(Multiplier(3, lambda factor: factor + 1))
        self.assertEqual(reply["outputs"], Gave(6).encode_outputs())
        self.assertEqual(reply["later"], [Gave(15).encode()])
        self.assertEqual(reply["again"], Gave(8).encode())
        self.assertEqual(reply["later_again"], [Gave(20).encode()])

    def test_each_cold_load_has_an_empty_folder(self) -> None:
        cache = WarmCache()
        first = cache.empty()
        (first / "kept").touch()
        second = cache.empty()
        self.assertNotEqual(first, second)
        self.assertEqual(list(second.iterdir()), [])

    def test_what_left_nothing_is_not_taken(self) -> None:
        cache = WarmCache()
        self.assertRaises(UnsupportedError, cache.filled)
        cache.empty()
        self.assertRaises(UnsupportedError, cache.filled)

    def test_a_warm_load_that_compiled_again_is_not_taken(self) -> None:
        check_loaded(True)
        self.assertRaises(UnsupportedError, check_loaded, False)


if __name__ == "__main__":
    unittest.main()
