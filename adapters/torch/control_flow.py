"""The calls of a case that run subgraphs, as PyTorch has them: as a person writes them, or the ops themselves.

Each takes what the case's call has, subgraphs as functions, and gives its results as one list.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch._higher_order_ops as written
from torch._higher_order_ops import while_loop as written_while_loop

from adapters.worker.system import UnsupportedError

ControlFlow = Mapping[str, Callable[..., Any]]  # by the op's name in a case
Tensors = Sequence[torch.Tensor]
Function = Callable[..., Any]


def _function(name: str) -> Function:
    """What a person calls, which releases before 2.7 do not have under this name."""
    function = getattr(written, name, None)
    if not callable(function):
        raise UnsupportedError(f"PyTorch {torch.__version__} has no {name} to call")
    return function


def _cond(predicate: torch.Tensor, then: Function, other: Function, operands: Tensors) -> Any:
    return torch.cond(predicate, then, other, tuple(operands))


def _while_loop(condition: Function, body: Function, carries: Tensors, closures: Tensors = ()) -> Any:
    def condition_fn(*carried: torch.Tensor) -> Any:
        return condition(*carried, *closures)[0]

    def body_fn(*carried: torch.Tensor) -> Any:
        return body(*carried, *closures)

    return written_while_loop(condition_fn, body_fn, tuple(carries))


def _scan(combine: Function, init: Tensors, xs: Tensors, closures: Tensors = ()) -> Any:
    count = len(init)

    def combine_fn(carried: list[torch.Tensor], slices: list[torch.Tensor]) -> Any:
        results = combine(*carried, *slices, *closures)
        return list(results[:count]), list(results[count:])

    carried, stacked = _function("scan")(combine_fn, list(init), list(xs))
    return [*carried, *stacked]


def _map(function: Function, xs: Tensors, closures: Tensors = ()) -> Any:
    def mapped(slices: list[torch.Tensor], *rest: torch.Tensor) -> Any:
        return function(*slices, *rest)

    return _function("map")(mapped, list(xs), *closures)


def _run_cond(predicate: torch.Tensor, then: Function, other: Function, operands: Tensors) -> Any:
    return torch.ops.higher_order.cond(predicate, then, other, tuple(operands))


def _run_while_loop(condition: Function, body: Function, carries: Tensors, closures: Tensors = ()) -> Any:
    def condition_fn(*operands: torch.Tensor) -> Any:
        return condition(*operands)[0]

    return torch.ops.higher_order.while_loop(condition_fn, body, tuple(carries), tuple(closures))


def _run_scan(combine: Function, init: Tensors, xs: Tensors, closures: Tensors = ()) -> Any:
    return torch.ops.higher_order.scan(combine, list(init), list(xs), tuple(closures))


def _run_map(function: Function, xs: Tensors, closures: Tensors = ()) -> Any:
    return torch.ops.higher_order.map_impl(function, list(xs), tuple(closures))


# What a person writes; PyTorch traces it, in eager too.
WRITTEN: ControlFlow = {"cond": _cond, "while_loop": _while_loop, "scan": _scan, "map": _map}
# What runs where nothing is traced: the subgraphs are called as they are.
DIRECT: ControlFlow = {"cond": _run_cond, "while_loop": _run_while_loop, "scan": _run_scan, "map": _run_map}
