"""Control flow: what is known is taken or unrolled, the rest stays a branch or a loop of the case."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import onnx

from adapters.importing.onnx.body import branch, scan, while_loop
from adapters.importing.onnx.node import Node
from adapters.importing.onnx.values import Builder, NoCounterpartError, NotKnownError, Value

if TYPE_CHECKING:
    from adapters.importing.onnx.model import Importer, Scope

MOST_TURNS = 10_000
FEW_TURNS = 16  # that are unrolled


def _if(importer: Importer, node: Node, scope: Scope) -> list[Value | None]:
    """The branch that is known to be taken; else both."""
    branches = [node.attribute("then_branch"), node.attribute("else_branch")]
    condition, b = node.x, importer.b
    if condition.array is not None:
        taken = branches[0] if bool(condition.array.reshape(-1)[0]) else branches[1]
        return list(importer.run(taken, scope, []))
    return list(branch(b, b.reshape(condition, []), [importer.apart(one, scope) for one in branches]))


def _first_that_works(
    b: Builder, ways: list[Callable[[], list[Value | None]]], reason: type[Exception] = NoCounterpartError
) -> list[Value | None]:
    """What the first way makes that does not fail for that reason. The error is the last one's."""
    begin = len(b.nodes)
    for way in ways[:-1]:
        try:
            return way()
        except reason:
            del b.nodes[begin:]
    return ways[-1]()


# ---- loops


def _loop(importer: Importer, node: Node, scope: Scope) -> list[Value | None]:
    """A few turns unrolled, many as a scan, and as a while_loop those that nobody knows the number of."""
    body, b = node.attribute("body"), importer.b
    most, condition = node.optional(0), node.optional(1)
    state = [node.operand(i) for i in range(2, len(node.inputs))]
    shown = len(body.output) - 1 - len(state)

    def unrolled() -> list[Value | None]:
        count = None if most is None else int(b.array(most, "a trip count").reshape(()).item())
        goes = condition is None or bool(b.array(condition, "a loop's condition").reshape(()).item())
        return _unrolled(importer, body, scope, state, count, goes, condition is not None, shown)

    def scanned() -> list[Value | None]:
        return _counted(importer, body, scope, state, count, condition is not None)

    def while_true() -> list[Value | None]:
        return _while(importer, body, scope, state, most, condition)

    last = [] if shown else [while_true]  # what it stacks has a size that has to be known
    if any(one is not None and one.array is None for one in (most, condition)):
        return _first_that_works(b, last or [unrolled])
    count = 0 if most is None or most.array is None else int(most.array.reshape(()).item())
    goes = condition is None or condition.array is None or bool(condition.array.reshape(()).item())
    if goes and FEW_TURNS < count <= MOST_TURNS:
        return _first_that_works(b, [scanned, *last, unrolled])
    return _first_that_works(b, [unrolled, *last], NotKnownError)  # a condition that the body computes


def _unrolled(
    importer: Importer,
    body: onnx.GraphProto,
    scope: Scope,
    state: list[Value],
    count: int | None,
    goes: bool,
    tests: bool,
    shown: int,
) -> list[Value | None]:
    b, turn = importer.b, 0
    kept: list[list[Value]] = [[] for _ in range(shown)]
    while goes and (count is None or turn < count):
        if turn == MOST_TURNS:
            raise NoCounterpartError(f"a loop of more than {MOST_TURNS} turns")
        given = [b.integers(turn), b.known(True, "bool"), *state]
        more, *made = importer.run(body, scope, given)
        state, stacked = made[: len(state)], made[len(state) :]
        for list_, value in zip(kept, stacked, strict=True):
            list_.append(value)
        goes = not tests or bool(b.array(more, "a loop's condition").reshape(()).item())
        turn += 1
    if any(not one for one in kept):
        raise NoCounterpartError("a loop that never runs, whose results have no sizes")
    return [*state, *(b.stack(one, 0) for one in kept)]


def _counted(importer: Importer, body: onnx.GraphProto, scope: Scope, state: list[Value], count: int,
             tests: bool) -> list[Value | None]:  # fmt: skip
    """A loop whose condition stays true, as a scan over its turns."""
    b = importer.b
    turns = b.integers(np.arange(count))
    inner, results = importer.apart(body, scope, [*state, b.integers(0)],
                                    lambda given: [given[-1], b.known(True, "bool"), *given[:-1]])  # fmt: skip
    if tests and not bool(b.array(results[0], "a loop's condition").all()):
        raise NoCounterpartError("a condition that becomes false")
    return list(scan(b, inner, results[1:], state, [turns], count))


def _while(importer: Importer, body: onnx.GraphProto, scope: Scope, state: list[Value], most: Value | None,
           condition: Value | None) -> list[Value | None]:  # fmt: skip
    """Its carries are the turn, whether to go on, and the states."""
    b = importer.b
    goes = b.known(True, "bool") if condition is None else b.reshape(condition, [])
    states = [b.integers(0), goes, *state]
    inner, results = importer.apart(body, scope, states)
    turn = inner.call("add.Scalar", inner.parameters[0], 1, shape=[])
    more = inner.known(True, "bool") if condition is None else inner.reshape(results[0], [])
    names = [b.free_name(name) for name in ("turn", "goes", *("state" for _ in state))]
    inputs = {name: {"type": f"{one.dtype}[{','.join(map(str, one.shape))}]"}
              for name, one in zip(names, states, strict=True)}  # fmt: skip
    tested: dict[str, object] = {"inputs": inputs, "nodes": [], "outputs": [f"%{names[1]}"]}
    limit = None if most is None else b.reshape(b.cast(most, "i64"), [])
    if limit is not None:
        last, less, both = (b.free_name(name) for name in ("last", "less", "both"))
        inputs[last] = {"type": "i64[]"}
        tested["nodes"] = [
            {"out": less, "op": "aten.lt.Tensor", "args": [f"%{names[0]}", f"%{last}"]},
            {"out": both, "op": "aten.logical_and.default", "args": [f"%{less}", f"%{names[1]}"]},
        ]
        tested["outputs"] = [f"%{both}"]
    return list(while_loop(b, tested, inner, [turn, more, *results[1:]], states, limit)[2:])


# ---- scans


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
    if not steps:
        raise NoCounterpartError("a scan over nothing, whose results have no sizes")

    def whole() -> list[Value | None]:
        xs = []
        for one, axis, back in zip(inputs, axes, backwards, strict=True):
            order = [axis, *(d for d in range(one.rank) if d != axis)]
            turned = b.permute(one, order)
            xs.append(b.call("flip.default", turned, [0]) if back else turned)
        slices = [Value("", one.dtype, one.shape[1:], roots=one.roots) for one in xs]
        inner, results = importer.apart(body, scope, [*state, *slices])
        made = scan(b, inner, results, state, xs, steps)
        stacked = []
        for one, axis, back in zip(made[len(state) :], out_axes, out_backwards, strict=True):
            turned = b.call("flip.default", one, [0]) if back else one
            at = axis % one.rank
            stacked.append(b.permute(turned, [*range(1, at + 1), 0, *range(at + 1, one.rank)]))
        return [*made[: len(state)], *stacked]

    def unrolled() -> list[Value | None]:
        now, kept = state, [[] for _ in range(shown)]
        for t in range(steps):
            slices = [
                b.select(one, axis, steps - 1 - t if back else t)
                for one, axis, back in zip(inputs, axes, backwards, strict=True)
            ]
            made = importer.run(body, scope, [*now, *slices])
            now = made[: len(state)]
            for list_, value in zip(kept, made[len(state) :], strict=True):
                list_.append(value)
        results = []
        for one, axis, back in zip(kept, out_axes, out_backwards, strict=True):
            results.append(b.stack(one[::-1] if back else one, axis % (one[0].rank + 1)))
        return [*now, *results]

    return _first_that_works(b, [whole, unrolled] if steps > FEW_TURNS else [unrolled])


CONTROL = {"If": _if, "Loop": _loop, "Scan": _scan}
