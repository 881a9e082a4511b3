"""RNN, GRU and LSTM, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value

Activation = Callable[[Builder, Value], Value]
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
DEFAULTS = {"RNN": ["Tanh"], "GRU": ["Sigmoid", "Tanh"], "LSTM": ["Sigmoid", "Tanh", "Tanh"]}
# An activation's alpha and beta where none are given; one that is not here takes none.
PARAMETERS: dict[str, list[float]] = {
    "leakyrelu": [0.01], "thresholdedrelu": [1.0], "hardsigmoid": [0.2, 0.5], "elu": [1.0], "affine": [1.0, 0.0],
    "scaledtanh": [1.0, 1.0],
}  # fmt: skip


def _activation(name: str, numbers: list[float]) -> Activation:
    """An activation of these parameters."""
    a, c = [*numbers, 0.0, 0.0][:2]
    known: dict[str, Activation] = {
        "relu": lambda b, x: b.unary("relu", x),
        "tanh": lambda b, x: b.unary("tanh", x),
        "sigmoid": lambda b, x: b.unary("sigmoid", x),
        "softsign": lambda b, x: b.div(x, b.add(b.unary("abs", x), 1)),
        "softplus": lambda b, x: b.unary("softplus", x),
        "leakyrelu": lambda b, x: b.call("leaky_relu.default", x, a),
        "thresholdedrelu": lambda b, x: b.where(b.compare("ge", x, a), x, 0),
        "hardsigmoid": lambda b, x: b.call("clamp.default", b.add(b.mul(x, a), c), 0, 1),
        "elu": lambda b, x: b.call("elu.default", x, a),
        "affine": lambda b, x: b.add(b.mul(x, a), c),
        "scaledtanh": lambda b, x: b.mul(b.unary("tanh", b.mul(x, c)), a),
    }
    if name not in known:
        raise NoCounterpartError(f"an activation {name!r}")
    return known[name]


@dataclass
class _Direction:
    """What one direction computes with."""

    w: Value  # [inputs, gates * hidden]
    r: Value  # [hidden, gates * hidden]
    wb: Value | None
    rb: Value | None
    h: Value
    c: Value | None
    peepholes: list[Value] | None
    activations: list[Activation]


@dataclass
class _Options:
    hidden: int
    clip: float | None
    linear_before_reset: bool
    couples: bool  # the forget gate is one less the input gate


@row("RNN", "GRU", "LSTM", since=7)
def recurrent(b: Builder, node: Node) -> Results:
    kind, direction, layout = node.kind, node.word("direction", "forward"), node.integer("layout", 0)
    x = b.swap(node.x, 0, 1) if layout else node.x
    w, r, bias = node.operand(1), node.operand(2), node.optional(3)
    steps, batch, _ = x.shape
    count, hidden = w.shape[0], node.integer("hidden_size", r.shape[-1])
    if count != (2 if direction == "bidirectional" else 1) or direction not in ("forward", "reverse", "bidirectional"):
        raise NoCounterpartError(f"direction is {direction!r}, and the weights are of {count}")
    options = _Options(
        hidden,
        node.number("clip", 0) if node.has("clip") else None,
        node.flag("linear_before_reset") if kind == "GRU" else False,
        node.flag("input_forget") if kind == "LSTM" else False,
    )
    activations = _activations(node, count)
    lengths = _lengths(b, node, steps, batch)
    states = [node.optional(5), node.optional(6) if kind == "LSTM" else None]
    states = [b.swap(one, 0, 1) if layout and one is not None else one for one in states]
    peepholes = node.optional(7) if kind == "LSTM" else None
    ys, hs, cs = [], [], []
    for d in range(count):
        zero = b.known(np.zeros([batch, hidden]), x.dtype)
        given = [zero if one is None else b.select(one, 0, d) for one in states]
        halves = None if bias is None else b.split(b.select(bias, 0, d), [GATES[kind] * hidden] * 2, 0)
        part = _Direction(
            b.swap(b.select(w, 0, d)), b.swap(b.select(r, 0, d)), halves and halves[0], halves and halves[1],
            given[0], given[1], None if peepholes is None else b.split(b.select(peepholes, 0, d), [hidden] * 3, 0),
            activations[d],
        )  # fmt: skip
        backwards = direction == "reverse" or d == 1
        y, h, c = _run(b, kind, x, part, options, backwards, lengths)
        ys.append(y)
        hs.append(h)
        cs.append(c)
    y, h = b.stack(ys, 1), b.stack(hs, 0)
    results = [y, h] + ([b.stack(cs, 0)] if kind == "LSTM" else [])
    if layout:
        results = [b.permute(y, [2, 0, 1, 3]), *(b.swap(one, 0, 1) for one in results[1:])]
    return results


def _activations(node: Node, count: int) -> list[list[Activation]]:
    words = node.attribute("activations")
    each = len(DEFAULTS[node.kind])
    names = [word.decode().lower() for word in words] if words else [one.lower() for one in DEFAULTS[node.kind] * count]
    if len(names) != each * count:
        raise NoCounterpartError(f"{len(names)} activations")
    alphas, betas = list(node.attribute("activation_alpha", [])), list(node.attribute("activation_beta", []))
    made = []
    for name in names:
        numbers = list(PARAMETERS.get(name, []))
        for i, given in enumerate((alphas, betas)):
            if i < len(numbers) and given:
                numbers[i] = float(given.pop(0))
        made.append(_activation(name, numbers))
    if any(alphas) or any(betas):
        raise NoCounterpartError("parameters of activations that take none")
    return [made[each * d : each * (d + 1)] for d in range(count)]


def _lengths(b: Builder, node: Node, steps: int, batch: int) -> list[int] | None:
    given = node.optional(4)
    if given is None:
        return None
    lengths = b.ints(given, "a sequence's length")
    if len(lengths) != batch or max(lengths, default=0) > steps:
        raise NoCounterpartError(f"sequence lengths {lengths} for {batch} of {steps} steps")
    return None if lengths == [steps] * batch else lengths


Ran = tuple[Value, Value, Value | None]


def _run(b: Builder, kind: str, x: Value, part: _Direction, options: _Options, backwards: bool,
         lengths: list[int] | None) -> Ran:  # fmt: skip
    """All steps' states, and the last ones. Beyond its length a sequence's state stays, and its result is 0."""
    steps = x.shape[0]
    step = {"RNN": _rnn, "GRU": _gru, "LSTM": _lstm}[kind]
    h, c, found = part.h, part.c, {}
    for t in range(steps - 1, -1, -1) if backwards else range(steps):
        fresh, cell = step(b, b.select(x, 0, t), h, c, part, options)
        if lengths is None or min(lengths) > t:
            h, c, found[t] = fresh, cell, fresh
            continue
        inside = b.known(np.array([[t < length] for length in lengths]), "bool")
        found[t] = b.where(inside, fresh, 0)
        h = b.where(inside, fresh, h)
        c = None if cell is None or c is None else b.where(inside, cell, c)
    return b.stack([found[t] for t in range(steps)], 0), h, c


def _clipped(b: Builder, x: Value, options: _Options) -> Value:
    return x if options.clip is None else b.call("clamp.default", x, -options.clip, options.clip)


def _product(b: Builder, x: Value, weight: Value, bias: Value | None) -> Value:
    product = b.matmul(x, weight)
    return product if bias is None else b.add(product, bias)


def _rnn(b: Builder, x: Value, h: Value, _: Value | None, part: _Direction, options: _Options) -> tuple[Value, None]:
    total = b.add(_product(b, x, part.w, part.wb), _product(b, h, part.r, part.rb))
    return part.activations[0](b, _clipped(b, total, options)), None


def _gru(b: Builder, x: Value, h: Value, _: Value | None, part: _Direction, options: _Options) -> tuple[Value, None]:
    f, g = part.activations
    n = options.hidden
    inputs = b.split(_product(b, x, part.w, part.wb), [n] * 3, 1)
    weights = b.split(part.r, [n] * 3, 1)
    biases = [None] * 3 if part.rb is None else b.split(part.rb, [n] * 3, 0)
    z = f(b, _clipped(b, b.add(inputs[0], _product(b, h, weights[0], biases[0])), options))
    r = f(b, _clipped(b, b.add(inputs[1], _product(b, h, weights[1], biases[1])), options))
    if options.linear_before_reset:
        last = b.mul(r, _product(b, h, weights[2], biases[2]))
    else:
        last = _product(b, b.mul(r, h), weights[2], biases[2])
    fresh = g(b, _clipped(b, b.add(inputs[2], last), options))
    return b.add(b.mul(b.call("rsub.Scalar", z, 1), fresh), b.mul(z, h)), None


def _lstm(b: Builder, x: Value, h: Value, c: Value | None, part: _Direction, options: _Options) -> tuple[Value, Value]:
    assert c is not None
    f, g, last = part.activations
    total = b.add(_product(b, x, part.w, part.wb), _product(b, h, part.r, part.rb))
    i, o, forget, cell = b.split(total, [options.hidden] * 4, 1)

    def gate(value: Value, peephole: int, state: Value) -> Value:
        value = value if part.peepholes is None else b.add(value, b.mul(part.peepholes[peephole], state))
        return f(b, _clipped(b, value, options))

    opened = gate(i, 0, c)
    kept = b.call("rsub.Scalar", opened, 1) if options.couples else gate(forget, 2, c)
    fresh = b.add(b.mul(kept, c), b.mul(opened, g(b, _clipped(b, cell, options))))
    return b.mul(gate(o, 1, fresh), last(b, fresh)), fresh
