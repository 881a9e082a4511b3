"""The runs of the protocol on stand-in instances: what several threads give is compared with run A."""

from __future__ import annotations

import threading
import unittest
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adapters.worker.system import Stages
from adapters.worker.three_runs import Run, three_runs


@dataclass
class Gave:
    number: int

    def encode(self) -> dict[str, Any]:
        return {"outputs": self.encode_outputs(), "inputs": {}, "buffers": {}}

    def encode_outputs(self) -> list[dict[str, Any]]:
        return [{"type": "i64[1]", "data": [self.number]}]


def reply_of(threads: int, number_on: Callable[[int], int]) -> tuple[dict[str, Any], int]:
    """The reply where instance i gives number_on(i), and the most instances that ran at the same time."""
    started = 0
    running, most, lock = 0, 0, threading.Lock()

    def start() -> Run:
        nonlocal started
        number = number_on(started)
        started += 1

        def run(_: Any) -> Gave:
            nonlocal running, most
            with lock:
                running += 1
                most = max(most, running)
            if started > 2:  # the two of A and its repetition run alone
                both.wait(timeout=10)
            with lock:
                running -= 1
            return Gave(number)

        return run

    both = threading.Barrier(threads)
    request = {"case": {"feed": {"x": [1]}}, "threads": threads}
    return three_runs(request, Stages(), start), most


class Threads(unittest.TestCase):
    def test_instances_run_at_the_same_time_and_agree(self) -> None:
        reply, most = reply_of(4, lambda _: 7)
        self.assertEqual(most, 4)
        self.assertEqual(reply["again"], Gave(7).encode())

    def test_the_one_that_differs_stands_for_the_fresh_instance(self) -> None:
        reply, _ = reply_of(4, lambda instance: 8 if instance == 3 else 7)
        self.assertEqual(reply["outputs"], Gave(7).encode_outputs())
        self.assertEqual(reply["again"], Gave(8).encode())

    def test_without_threads_there_are_two_instances(self) -> None:
        reply, most = reply_of(1, lambda instance: instance)
        self.assertEqual(most, 1)
        self.assertEqual(reply["again"], Gave(1).encode())


class Counted:
    """An instance that adds up what it is fed in a sum of its own; its method "take" gives that and takes nothing."""

    def __init__(self) -> None:
        self.sum = 0

    def __call__(self, feed: dict[str, Any], method: str | None = None) -> Gave:
        if method is None:
            self.sum += feed["x"][0]
        return Gave(self.sum if method is None else -self.sum)


class Reused:
    """An instance that hands out the same memory in every run."""

    def __init__(self) -> None:
        self.memory = Gave(0)

    def __call__(self, feed: dict[str, Any], method: str | None = None) -> Gave:
        self.memory.number = feed["x"][0]
        return self.memory


class LaterRuns(unittest.TestCase):
    def test_what_a_later_run_gave_is_read_again_after_the_last(self) -> None:
        fed = [{"feed": {"x": [number]}} for number in (1, 2, 4)]
        reply = three_runs({"case": {"runs": fed}}, Stages(), Reused)
        self.assertEqual(
            [one["outputs"] for one in reply["later"]], [Gave(2).encode_outputs(), Gave(4).encode_outputs()]
        )
        self.assertEqual(reply["later_kept"], [Gave(4).encode_outputs()])
        self.assertEqual(reply["kept"], Gave(4).encode_outputs())

    def numbers(self, runs: list[dict[str, Any]]) -> list[int]:
        reply = three_runs({"case": {"runs": runs}}, Stages(), Counted)
        self.assertEqual(reply["later"], reply["later_again"])
        return [one["outputs"][0]["data"][0] for one in [reply, *reply["later"]]]

    def test_each_instance_has_state_of_its_own(self) -> None:
        fed = [{"feed": {"x": [1]}}, {"feed": {"x": [2]}, "instance": 1}, {"feed": {"x": [4]}}]
        self.assertEqual(self.numbers(fed), [1, 2, 5])

    def test_a_run_says_which_method_it_calls(self) -> None:
        fed = [{"feed": {"x": [1]}}, {"feed": {}, "method": "take"}, {"feed": {"x": [4]}}]
        self.assertEqual(self.numbers(fed), [1, -1, 5])

    def test_what_is_returned_first_is_read_again_last(self) -> None:
        reply = three_runs({"case": {"runs": [{"feed": {"x": [1]}}, {"feed": {"x": [2]}}]}}, Stages(), Counted)
        self.assertEqual(reply["kept"], Gave(1).encode_outputs())


if __name__ == "__main__":
    unittest.main()
