"""What a system keeps of a compilation, looked at cold and warm: the first instance is compiled while the cache is
empty, and the fresh one, which makes all runs again, is loaded from what the first left there. Standard library only.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from adapters.worker.switches import Switch
from adapters.worker.system import UnsupportedError

CACHE = Switch("cache", ("off", "warm"))


class WarmCache:
    """The folder of one program's cache, emptied for each cold load."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def empty(self) -> Path:
        """A new folder, for a cold load."""
        self._folder = tempfile.TemporaryDirectory(prefix="parallax-cache-")
        return Path(self._folder.name)

    def filled(self) -> Path:
        """What the last cold load left, for a warm one."""
        if self._folder is None or not any(Path(self._folder.name).iterdir()):
            raise UnsupportedError("the system left nothing in its cache")
        return Path(self._folder.name)


def check_loaded(was_loaded: bool) -> None:
    """Refuses a warm load that compiled again: nothing of the cache would be seen in it."""
    if not was_loaded:
        raise UnsupportedError("the system loaded nothing from its cache")
