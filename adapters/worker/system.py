"""What an adapter declares of its system, the exceptions that it may raise, and the stages of a run.

Standard library only.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class UnsupportedError(Exception):
    """The system does not take this case, and that is known without trying."""


class AdapterError(Exception):
    """The adapter cannot read what the system gave back: our bug or a new version, never a finding."""


class NotRunError(Exception):
    """The case was compiled, and nothing here can run what came out: `facts`, what `save` writes and what `audit` reads
    out of a file that it wrote can be seen."""

    def __init__(
        self,
        message: str,
        facts: Json,
        save: Callable[[Path], None],
        audit: Callable[[str], Json] | None = None,
    ) -> None:
        super().__init__(message)
        self.facts = facts
        self.save = save
        self.audit = audit


@dataclass(frozen=True)
class Rejection:
    """A diagnostic that the system documents, or plainly states, as a limit of its own."""

    pattern: str  # searched in "Type: message" and in what the system wrote to standard error
    why: str
    stage: str | None = None  # only there, if given


@dataclass
class Stages:
    """Where a run is and how long each part took."""

    current: str = "adapter"
    milliseconds: dict[str, float] = field(default_factory=dict)

    def begin(self) -> None:
        """The next request. A kept program tells its stages to the object that it was built with, so there is one."""
        self.current = "adapter"
        self.milliseconds.clear()

    @contextlib.contextmanager
    def __call__(self, name: str) -> Iterator[None]:
        """Times a part; an exception leaves `current` at the part it came out of."""
        outer, self.current = self.current, name
        begin = time.perf_counter()
        yield
        self.milliseconds[name] = self.milliseconds.get(name, 0.0) + (time.perf_counter() - begin) * 1e3
        self.current = outer


@dataclass(frozen=True)
class System:
    """What a system's file declares."""

    hello: Callable[[], Json]  # name, version, versions, dtypes, ops, profile
    run: Callable[[Json, Stages], Json]  # the parts of an "ok" reply
    rejections: tuple[Rejection, ...] = ()
    # One line made of an exception's text and what was written to standard error meanwhile.
    explain: Callable[[str, str], str] = lambda message, _: message
