"""What torch.export puts together around each decomposition, from registries that stay as they are from case to case.

The table of core ATen decompositions and whether each of its operations may be preserved: a thirtieth of a small case
for XNNPACK, which decomposes it four times. And the random state of AOTAutograd, six empty tensors made twice for each
trace and then looked at only by operations that draw numbers: another thirtieth.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch import _decomp as decomp
from torch._decomp import decompositions_for_rng
from torch._export import utils as export_utils


class DecompositionTables:
    """In the place of torch.export's own look-ups, from when it is made."""

    def __init__(self) -> None:
        self._core = decomp._core_aten_decompositions_post_autograd
        self._valid = export_utils._check_valid_to_preserve
        self._tables: dict[int, dict[Any, Callable[..., Any]]] = {}  # by how many decompositions are registered
        self._preservable: dict[Any, bool] = {}
        decomp._core_aten_decompositions_post_autograd = self._core_table
        export_utils._check_valid_to_preserve = self._check_valid

    def forget(self) -> None:
        """To be called when there are more operations than there were."""
        self._tables.clear()
        self._preservable.clear()

    def _core_table(self) -> dict[Any, Callable[..., Any]]:
        registered = len(decomp.global_decomposition_table["post_autograd"])  # a second one for an op is an error
        if registered not in self._tables:
            self._tables = {registered: self._core()}
        return dict(self._tables[registered])  # who asks for it takes operations out

    def _check_valid(self, op: Any) -> bool:
        """Hangs on the schema and on whether there is a kernel, which only a case's own operations may get later."""
        if getattr(op, "namespace", None) != "aten":
            return self._valid(op)
        known = self._preservable.get(op)
        if known is None:
            known = self._preservable[op] = self._valid(op)
        return known


_reset = decompositions_for_rng.PhiloxState.reset  # PyTorch's own, however often it is replaced


def make_random_state_late() -> None:
    """The tensors of a PhiloxState are made when somebody reads them."""
    state = decompositions_for_rng.PhiloxState
    tensors = ("seed", "base_offset")

    def begin(self: Any) -> None:
        for name in tensors:
            self.__dict__.pop(name, None)
        self.relative_offset = 0
        self.offset_advanced_at_least_once = False

    def late(self: Any, name: str) -> Any:
        if name not in tensors:
            raise AttributeError(name)
        kept = dict(self.__dict__)
        _reset(self)
        self.__dict__.update(kept)
        return self.__dict__[name]

    state.reset = begin
    state.__getattr__ = late
