"""The table from ATen overloads to what writes them as ONNX: pointwise.py … fill it, writer.py reads it.

A function has the names and defaults of the overload's own schema, so that a case's arguments bind to it as to eager.
It gets a Graph and Values, and gives a Value or a list of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from adapters.onnx.graph import Graph, Value
from adapters.onnx.promotion import Number, result_type

Results = Value | list[Value] | list[Value | None]  # None: what nobody may read


RowMajor = Callable[[list[int]], bool]


@dataclass(frozen=True)
class Function:
    """An overload whose results are new memory."""

    call: Callable[..., Results]
    pointwise: bool  # then eager lays the result out as its operands; else it is row-major if they are
    row_major: RowMajor  # or whatever they are, given their ranks
    strided: bool = False  # eager may lay it out otherwise, even if its operands are row-major


FUNCTIONS: dict[str, Function] = {}
IN_PLACE: dict[str, str] = {}  # "aten.relu_.default" and the function that it writes back
Register = Callable[[Callable[..., Results]], Callable[..., Results]]


def never(_: list[int]) -> bool:
    return False


def always(_: list[int]) -> bool:
    return True


def function(
    *names: str,
    pointwise: bool = False,
    in_place: bool = False,
    row_major: RowMajor = never,
    namespace: str = "aten",
    strided: bool = False,
) -> Register:
    """Registers a function for these overloads, and for their in-place twins."""

    def register(call: Callable[..., Results]) -> Callable[..., Results]:
        for name in names:
            FUNCTIONS[f"{namespace}.{name}"] = Function(call, pointwise, row_major, strided)
            if in_place:
                base, overload = name.split(".")
                IN_PLACE[f"aten.{base}_.{overload}"] = f"aten.{name}"
        return call

    return register


def pointwise(*names: str, in_place: bool = False) -> Register:
    return function(*names, pointwise=True, in_place=in_place)


def wide(dtype: str) -> str:
    """What eager computes a formula of that dtype in: halves in f32."""
    return "f32" if dtype in ("f16", "bf16") else dtype


def operand(graph: Graph, given: Value | Number, dtype: str) -> Value:
    """A value cast to the dtype, a number as a constant of it."""
    return graph.cast(given, dtype) if isinstance(given, Value) else graph.number(given, dtype)


def common(graph: Graph, *given: Value | Number) -> tuple[str, list[Value]]:
    """The operands in the dtype that PyTorch promotes them to, halves then widened, and that dtype's name."""
    dtype = result_type(given)
    return dtype, [operand(graph, one, wide(dtype)) for one in given]


def wrap_dims(dims: int | list[int] | None, rank: int) -> list[int]:
    """Dims as a sorted list from 0 up; none or an empty list stand for all."""
    if dims is None or dims == []:
        return list(range(rank))
    listed = [dims] if isinstance(dims, int) else dims
    return sorted({dim % max(rank, 1) for dim in listed}) if rank else []
