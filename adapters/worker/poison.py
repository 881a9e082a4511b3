"""What fresh memory holds: a byte of our choice instead of what was there, so that a read of memory that nobody wrote
shows as two runs that differ. With glibc only; elsewhere nothing happens."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator

_M_PERTURB = -6  # malloc.h


@contextlib.contextmanager
def fresh_memory(byte: int) -> Iterator[None]:
    """malloc() returns memory filled with `byte` meanwhile."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_PERTURB, byte ^ 0xFF)  # glibc fills with the complement, and freed memory with the byte itself
    try:
        yield
    finally:
        if mallopt is not None:
            mallopt(_M_PERTURB, 0)
