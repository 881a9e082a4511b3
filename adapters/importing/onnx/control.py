"""Control flow, as far as it is known how often and where it goes: a case has none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.values import NoCounterpartError, Value

if TYPE_CHECKING:
    from adapters.importing.onnx.model import Importer, Scope

MOST_TURNS = 10_000


def _if(importer: Importer, node: Node, scope: Scope) -> list[Value | None]:
    """The branch that is known to be taken; else both, and a choice of each result."""
    branches = [node.attribute("then_branch"), node.attribute("else_branch")]
    condition = node.x
    if condition.array is not None:
        taken = branches[0] if bool(condition.array.reshape(-1)[0]) else branches[1]
        return list(importer.run(taken, scope, []))
    both = [importer.run(branch, scope, []) for branch in branches]
    scalar = importer.b.reshape(condition, [])
    if any((a.dtype, a.shape) != (c.dtype, c.shape) for a, c in zip(*both, strict=True)):
        raise NoCounterpartError("its branches give results of different types, and which is taken is computed")
    return [importer.b.where(scalar, a, c) for a, c in zip(*both, strict=True)]


def _loop(importer: Importer, node: Node, scope: Scope) -> list[Value | None]:
    """The body as often as it is known to run."""
    body, b = node.attribute("body"), importer.b
    most, condition = node.optional(0), node.optional(1)
    count = None if most is None else int(b.array(most, "a trip count").reshape(()).item())
    goes = condition is None or bool(b.array(condition, "a loop's condition").reshape(()).item())
    state = [node.operand(i) for i in range(2, len(node.inputs))]
    kept: list[list[Value]] = [[] for _ in range(len(body.output) - 1 - len(state))]
    turn = 0
    while goes and (count is None or turn < count):
        if turn == MOST_TURNS:
            raise NoCounterpartError(f"a loop of more than {MOST_TURNS} turns")
        given = [b.integers(turn), b.known(True, "bool"), *state]
        more, *made = importer.run(body, scope, given)
        state, shown = made[: len(state)], made[len(state) :]
        for list_, value in zip(kept, shown, strict=True):
            list_.append(value)
        goes = condition is None or bool(b.array(more, "a loop's condition").reshape(()).item())
        turn += 1
    if any(not one for one in kept):
        raise NoCounterpartError("a loop that never runs, whose results have no sizes")
    return [*state, *(b.stack(one, 0) for one in kept)]


def _scan(importer: Importer, node: Node, scope: Scope) -> list[Value | None]:
    """The body for each slice of what is scanned."""
    if node.version < 9:
        raise NoCounterpartError("a scan over batches")
    body, b, scanned = node.attribute("body"), importer.b, node.integer("num_scan_inputs", 0)
    operands = node.every()
    state, inputs = operands[: len(operands) - scanned], operands[len(operands) - scanned :]
    shown = len(body.output) - len(state)
    axes = [axis % one.rank for axis, one in zip(node.integers("scan_input_axes") or [0] * scanned, inputs,
                                                 strict=True)]  # fmt: skip
    backwards = node.integers("scan_input_directions") or [0] * scanned
    out_axes, out_backwards = (node.integers(f"scan_output_{what}") or [0] * shown for what in ("axes", "directions"))
    steps = inputs[0].shape[axes[0]]
    if steps > MOST_TURNS:
        raise NoCounterpartError(f"a scan of more than {MOST_TURNS} turns")
    kept: list[list[Value]] = [[] for _ in range(shown)]
    for t in range(steps):
        slices = [
            b.select(one, axis, steps - 1 - t if back else t)
            for one, axis, back in zip(inputs, axes, backwards, strict=True)
        ]
        made = importer.run(body, scope, [*state, *slices])
        state = made[: len(state)]
        for list_, value in zip(kept, made[len(state) :], strict=True):
            list_.append(value)
    if not steps:
        raise NoCounterpartError("a scan over nothing, whose results have no sizes")
    results = []
    for one, axis, back in zip(kept, out_axes, out_backwards, strict=True):
        results.append(b.stack(one[::-1] if back else one, axis % (one[0].rank + 1)))
    return [*state, *results]


CONTROL = {"If": _if, "Loop": _loop, "Scan": _scan}
