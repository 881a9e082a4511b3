"""The runs of the adapter protocol (docs/protocol.md): A, then B on the same instance, then A on a fresh one. A case
with runs of its own goes through all of them, once on either instance."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

from adapters.worker.case_methods import called_methods
from adapters.worker.case_symbols import feeds_of
from adapters.worker.poison import fresh_memory
from adapters.worker.system import Json, Stages, UnsupportedError


class Encodable(Protocol):
    """What one run gave back."""

    def encode(self) -> Json: ...

    def encode_outputs(self) -> list[Json]: ...


# A feed through an instance, which keeps its buffers from call to call; where the run calls a method, its name too.
Run = Callable[..., Encodable]


def check_requirements(case: Json, taken: Collection[str] = ("runs", "instances", "symbols")) -> None:
    """Refuses what the worker does not take; which of its ops a system lacks is found by name."""
    missing = [feature for feature in case.get("requires", []) if feature not in taken]
    if missing:
        raise UnsupportedError(f"cases that require {', '.join(missing)}")


def three_runs(
    request: Json, stages: Stages, start: Callable[[], Run], start_again: Callable[[], Run] | None = None
) -> Json:
    """The members of a reply that say what the runs gave; `start` makes a fresh instance, and `start_again`, where
    there is one, those that make the runs again: from a cache that is warm then.

    Memory that nobody wrote holds another byte for the second instance. The outputs of A, and of each later run, are
    read again after the last run. Where threads are asked for, A runs on as many at the same time, and the first that
    differs stands for A on a fresh instance.
    """
    first_feed, *later_feeds = feeds_of(request["case"])
    several = "runs" in request["case"]

    numbers = [run.get("instance", 0) for run in request["case"].get("runs", [])][1:]
    later_methods = called_methods(request["case"])[1:]

    def run(instance: Run, feed: Json, method: str | None = None) -> Encodable:
        with stages("run"):
            return instance(feed) if method is None else instance(feed, method)

    def run_later(first: Run, start: Callable[[], Run], handed_out: list[Encodable]) -> list[Json]:
        """The runs after the first, on that instance or another; one that has not run yet is fresh."""
        instances = {0: first}
        gave = []
        for number, feed, method in zip(numbers, later_feeds, later_methods, strict=True):
            if number not in instances:
                instances[number] = start()
            handed_out.append(run(instances[number], feed, method))
            gave.append(handed_out[-1].encode())
        return gave

    with fresh_memory(0x5A):
        first = start()
        ran = run(first, first_feed)
        reply = ran.encode()
        if several:
            later: list[Encodable] = []
            reply["later"] = run_later(first, start, later)
            reply["later_kept"] = [one.encode_outputs() for one in later[:-1]]
        elif request.get("second_feed") is not None:
            reply["b"] = run(first, request["second_feed"]).encode()
        if "later" in reply or "b" in reply:
            reply["kept"] = ran.encode_outputs()
    with fresh_memory(0xA5):
        again = start_again or start
        fresh = again()
        reply["again"] = run(fresh, first_feed).encode()
        if several:
            reply["later_again"] = run_later(fresh, again, [])
    if (threads := request.get("threads", 1)) > 1:
        with stages("run"):
            others = _on_threads([start() for _ in range(threads)], first_feed)
        members = ("outputs", "inputs", "buffers")
        differing = (other for other in others if any(other.get(name) != reply.get(name) for name in members))
        reply["again"] = next(differing, reply["again"])
    return reply


def _on_threads(instances: list[Run], feed: Json) -> list[Json]:
    """What the feed gives on these instances, all run at the same time."""
    together = threading.Barrier(len(instances))

    def run(instance: Run) -> Json:
        together.wait()
        return instance(feed).encode()

    with ThreadPoolExecutor(len(instances)) as pool:
        return list(pool.map(run, instances))
