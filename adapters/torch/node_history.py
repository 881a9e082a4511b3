"""The history that torch.fx keeps of each node, shared and not copied.

A node that a pass makes of another one says so: its `from_node` is that node and, inside, what that one's was. Each
time torch.fx copies all of that deeply, so that the hundredth pass copies a hundred levels for each node: a twelfth of
what lowering a small graph for XNNPACK costs. Nothing changes a NodeSource that is there, so the levels below can be
the same objects.
"""

from __future__ import annotations

import copy
import types
from typing import Any

from torch.fx import traceback as fx_traceback


def _shared(history: list[Any]) -> list[Any]:
    """A list of its own, of the same nodes."""
    return list(history)


def share_histories() -> None:
    """To be called once. Only NodeSource's own module sees another copy.deepcopy, and that asks for nothing else."""
    if hasattr(fx_traceback, "NodeSource"):  # releases before 2.6 keep no history
        fx_traceback.copy = types.SimpleNamespace(deepcopy=_shared, copy=copy.copy)
