"""What makes lowering cheaper in a process that lowers one small graph after another, without changing what it does.

Half of a case's time went into torch.export's set-up around each decomposition: it looks through every registered op,
and defines some 24,000 functions whose annotations Python evaluates anew.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import torch
import torch._export.utils as export_utils
import torch._ops


class OpScan:
    """torch.export's scan for composite ops, done once and not three times a case; renew() notices new ops."""

    def __init__(self) -> None:
        self._scan = export_utils._collect_all_valid_cia_ops_for_namespace
        self._known: dict[str, set[Any]] = {}
        self._ops = 0
        export_utils._collect_all_valid_cia_ops_for_namespace = self._collect

    def renew(self) -> None:
        """To be called before each case: a library that was loaded meanwhile may have registered ops."""
        ops = len(torch._C._dispatch_get_all_op_names())
        if ops != self._ops:
            self._known.clear()
            self._ops = ops

    def _collect(self, namespace: Any) -> set[Any]:
        if namespace.name not in self._known:
            self._known[namespace.name] = self._scan(namespace)
        return self._known[namespace.name]


class _PlainCallable:
    """collections.abc.Callable for annotations that nobody reads: a subscript costs nothing."""

    def __getitem__(self, _: Any) -> Any:
        return Callable

    def __instancecheck__(self, value: Any) -> bool:
        return callable(value)


def speed_up() -> OpScan:
    """To be called once, after the libraries are imported."""
    torch.set_num_threads(1)
    torch._ops.Callable = _PlainCallable()
    # What the imports made stays for good: collecting it again and again took a seventh of the time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    return OpScan()
