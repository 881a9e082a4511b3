"""A node as its row sees it: operands, and attributes that are written down as they are read.

What a row does not read it would lose in silence, so `unread` is asked after every row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.helper

from adapters.importing.onnx.values import NoCounterpartError, Value


class Node:
    """An operator of a model, at the version that the model's operator set gives it."""

    def __init__(self, proto: onnx.NodeProto, version: int, inputs: list[Value | None]) -> None:
        self.kind = proto.op_type
        self.version = version
        self.inputs = inputs
        self.outputs = list(proto.output)
        self.results = len(proto.output)
        self._attributes = {one.name: one for one in proto.attribute}
        self._read: set[str] = set()
        self._taken: set[int] = set()
        for one in proto.attribute:
            if one.ref_attr_name:
                raise NoCounterpartError(f"its attribute {one.name!r} refers to one of a function")

    @property
    def x(self) -> Value:
        return self.operand(0)

    def operand(self, i: int) -> Value:
        """An operand that has to be there."""
        value = self.optional(i)
        if value is None:
            raise NoCounterpartError(f"operand {i} is missing")
        return value

    def optional(self, i: int) -> Value | None:
        self._taken.add(i)
        return self.inputs[i] if i < len(self.inputs) else None

    def every(self) -> list[Value]:
        """All operands of an operator that takes any number."""
        return [self.operand(i) for i in range(len(self.inputs))]

    def wants(self, i: int) -> bool:
        """Whether result i has a name."""
        return i < len(self.outputs) and bool(self.outputs[i])

    # ---- attributes

    def has(self, name: str) -> bool:
        return name in self._attributes

    def attribute(self, name: str, default: Any = None) -> Any:
        self._read.add(name)
        return onnx.helper.get_attribute_value(self._attributes[name]) if name in self._attributes else default

    def integer(self, name: str, default: int) -> int:
        return int(self.attribute(name, default))

    def flag(self, name: str, default: bool = False) -> bool:
        return bool(self.attribute(name, default))

    def number(self, name: str, default: float) -> float:
        """A float attribute is an f32, and so is its default."""
        return float(np.float32(self.attribute(name, default)))

    def integers(self, name: str) -> list[int] | None:
        found = self.attribute(name)
        return None if found is None else [int(number) for number in found]

    def word(self, name: str, default: str) -> str:
        found = self.attribute(name, default)
        return found.decode() if isinstance(found, bytes) else found

    def only(self, name: str, *allowed: Any) -> None:
        """An attribute that has one of these values, the first if it is left out."""
        found = self.attribute(name, allowed[0])
        found = found.decode() if isinstance(found, bytes) else found
        if found not in allowed:
            raise NoCounterpartError(f"{name} is {found!r}")

    def unread(self) -> list[str]:
        """What the row did not look at."""
        attributes = [f"attribute {name!r}" for name in sorted(set(self._attributes) - self._read)]
        given = {i for i, value in enumerate(self.inputs) if value is not None}
        return attributes + [f"operand {i}" for i in sorted(given - self._taken)]

    def axis(self, default: int, rank: int | None = None, name: str = "axis") -> int:
        """An axis from 0 up."""
        rank = self.x.rank if rank is None else rank
        axis = self.integer(name, default)
        if not -rank <= axis < max(rank, 1):
            raise NoCounterpartError(f"axis {axis} of {rank} dims")
        return axis % max(rank, 1)
