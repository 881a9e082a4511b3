"""The runs of the adapter protocol (docs/protocol.md): A, then B on the same instance, then A on a fresh one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from adapters.worker.poison import fresh_memory
from adapters.worker.system import Json, Stages, UnsupportedError


class Encodable(Protocol):
    """What one run gave back."""

    def encode(self) -> Json: ...

    def encode_outputs(self) -> list[Json]: ...


Run = Callable[[Json], Encodable]  # a feed through an instance, which keeps its buffers from call to call


def check_requirements(case: Json, *taken: str) -> None:
    """Refuses what the worker does not take; which of its ops a system lacks is found by name."""
    missing = [feature for feature in case.get("requires", []) if feature not in taken]
    if missing:
        raise UnsupportedError(f"cases that require {', '.join(missing)}")


def three_runs(request: Json, stages: Stages, start: Callable[[], Run]) -> Json:
    """The members of a reply that say what the runs gave; `start` makes a fresh instance.

    Memory that nobody wrote holds another byte for the second instance. A's outputs are read again after B.
    """
    feed = request["case"]["feed"]
    with fresh_memory(0x5A):
        first = start()
        with stages("run"):
            ran = first(feed)
        reply = ran.encode()
        if request.get("second_feed") is not None:
            with stages("run"):
                second = first(request["second_feed"])
            reply["b"] = second.encode()
            reply["kept"] = ran.encode_outputs()
    with fresh_memory(0xA5):
        fresh = start()
        with stages("run"):
            again = fresh(feed)
        reply["again"] = again.encode()
    return reply
