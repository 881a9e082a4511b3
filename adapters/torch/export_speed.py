"""What makes lowering cheaper in a process that lowers one small graph after another, without changing what it does.

Most of a small case's time went into torch.export's set-up around each decomposition: it looks through every registered
op, and gives each of some 600 composite ones two dozen kernels that it takes away again afterwards.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import inspect
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
import torch._export.utils as export_utils
import torch._ops
import torch.utils._pytree
from torch._subclasses import fake_impls
from torch.export import exported_program

from adapters.torch.decomposition_tables import DecompositionTables, make_random_state_late
from adapters.torch.graph_code import GraphCode
from adapters.torch.node_history import share_histories
from adapters.torch.plain_trees import go_straight


class OpScan:
    """torch.export's scan for composite ops, done once and not three times a case; renew() notices new ops."""

    def __init__(self, tables: DecompositionTables) -> None:
        self._tables = tables
        self._scan = export_utils._collect_all_valid_cia_ops_for_namespace
        self._known: dict[str, set[Any]] = {}
        self._ops = 0
        export_utils._collect_all_valid_cia_ops_for_namespace = self._collect

    def renew(self) -> None:
        """To be called before each case: a library that was loaded meanwhile may have registered ops."""
        ops = len(torch._C._dispatch_get_all_op_names())
        if ops != self._ops:
            self._known.clear()
            self._tables.forget()
            self._ops = ops

    def _collect(self, namespace: Any) -> set[Any]:
        name = getattr(namespace, "name", namespace)  # releases before 2.8 hand the name itself
        if name not in self._known:
            self._known[name] = self._scan(namespace)
        return self._known[name]


@dataclass(frozen=True)
class _Override:
    """What torch.export makes of one composite op while it decomposes."""

    before: dict[Any, Any]  # the op's Python kernels outside
    kernels: dict[Any, Any]  # and inside
    fake: Callable[..., Any]


def _identity(decomposition: Callable[..., Any]) -> Hashable:
    """What functions that do the same share: torch.export makes a new closure over nothing for each op and table."""
    if isinstance(decomposition, functools.partial) and decomposition.func.__closure__ is None:
        return decomposition.func.__code__, decomposition.args, tuple(decomposition.keywords.items())
    return decomposition


class CompositeOverrides:
    """torch.export's override of composite ops: made by its own code once, and put in and taken out after that.

    An op whose own kernels or whose decomposition have changed meanwhile goes the long way again.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[Any, Hashable], _Override] = {}  # by op and decomposition
        self._original = exported_program._override_composite_implicit_decomp
        exported_program._override_composite_implicit_decomp = self._override

    def _is_made(self, op: Any, decomposition: Callable[..., Any]) -> bool:
        made = self._made.get((op, _identity(decomposition)))
        return made is not None and made.before == op.py_kernels and op not in fake_impls.op_implementations_dict

    @contextlib.contextmanager
    def _override(self, decompositions: dict[Any, Callable[..., Any]]) -> Iterator[None]:
        if not all(self._is_made(op, decomposition) for op, decomposition in decompositions.items()):
            # A rule for fake tensors that an op has by itself is kept the first time, and gone the next.
            plain = [op for op in decompositions if op not in fake_impls.op_implementations_dict]
            before = {op: dict(op.py_kernels) for op in plain}
            with self._original(decompositions):
                for op in plain:
                    fake = fake_impls.op_implementations_dict[op]
                    self._made[op, _identity(decompositions[op])] = _Override(before[op], dict(op.py_kernels), fake)
                yield
            return
        made = {op: self._made[op, _identity(decomposition)] for op, decomposition in decompositions.items()}
        for op, override in made.items():
            self._put(op, override.kernels)
            fake_impls.op_implementations_dict[op] = override.fake
        try:
            yield
        finally:
            for op, override in made.items():
                self._put(op, override.before)
                fake_impls.op_implementations_dict.pop(op, None)

    @staticmethod
    def _put(op: Any, kernels: dict[Any, Any]) -> None:
        op.py_kernels.clear()
        op.py_kernels.update(kernels)
        op._dispatch_cache.clear()


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
    torch.utils._pytree.Callable = _PlainCallable()  # of functions that each tree_map_only defines anew
    # What the imports made stays for good: collecting it again and again took a seventh of the time.
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    # Earlier releases of PyTorch override in another way; there it takes its time.
    if len(inspect.signature(exported_program._override_composite_implicit_decomp).parameters) == 1:
        CompositeOverrides()
    GraphCode()
    share_histories()
    go_straight()
    make_random_state_late()
    return OpScan(DecompositionTables())
