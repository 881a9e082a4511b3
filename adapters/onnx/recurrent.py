"""Recurrent layers, a node for each of a stack. ONNX has the gates in another order, and the weights of both directions
in one tensor."""

from __future__ import annotations

from dataclasses import dataclass

from adapters.onnx.graph import Graph, Value
from adapters.onnx.ops import Results, function, wide
from adapters.worker.system import UnsupportedError

# ONNX's gates as places among PyTorch's: of LSTM i, o, f, c out of i, f, g, o; of GRU z, r, h out of r, z, n.
GATES = {"LSTM": [0, 3, 1, 2], "GRU": [1, 0, 2], "RNN": [0]}


@dataclass(frozen=True)
class _Stack:
    """How the layers of one call lie over each other."""

    kind: str
    biases: bool
    layers: int
    bidirectional: bool
    batch_first: bool

    @property
    def directions(self) -> int:
        return 2 if self.bidirectional else 1


def _reordered(graph: Graph, weight: Value, kind: str) -> Value:
    """The rows of a weight or bias in ONNX's order of gates, with a dim for the direction before them."""
    order = GATES[kind]
    if len(order) > 1:
        parts = graph.split(weight, 0, [weight.shape[0] // len(order)] * len(order))
        weight = graph.concat([parts[gate] for gate in order], 0)
    return graph.unsqueeze(weight, 0)


def _joined(graph: Graph, weights: list[Value], kind: str) -> Value:
    return graph.concat([_reordered(graph, one, kind) for one in weights], 0)


def _run(
    graph: Graph, stack: _Stack, input: Value, states: list[Value], params: list[Value], **attributes: object
) -> list[Value]:
    dtype, worked = input.dtype, wide(input.dtype)
    count = 4 if stack.biases else 2
    if len(params) != count * stack.layers * stack.directions:
        raise UnsupportedError("a recurrent layer with projections")
    x = graph.cast(input, worked)
    x = graph.transpose(x, (1, 0, 2)) if stack.batch_first else x
    states = [graph.cast(one, worked) for one in states]
    last: list[list[Value]] = [[] for _ in states]
    d = stack.directions
    for layer in range(stack.layers):
        own = params[count * d * layer : count * d * (layer + 1)]
        parts = [[graph.cast(one, worked) for one in own[i::count]] for i in range(count)]  # by kind of parameter
        w, r = (_joined(graph, one, stack.kind) for one in parts[:2])
        bias = graph.concat([_joined(graph, one, stack.kind) for one in parts[2:]], 1) if stack.biases else None
        given = [graph.slice(one, 0, d * layer, d * (layer + 1)) for one in states]
        steps, batch, hidden = x.shape[0], x.shape[1], r.shape[2]
        types = [(worked, (steps, d, batch, hidden)), *((worked, (d, batch, hidden)) for _ in states)]
        made = graph.results(
            stack.kind,
            [x, w, r, bias, None, *given],
            types,
            hidden_size=hidden,
            direction="bidirectional" if stack.bidirectional else "forward",
            **attributes,
        )
        x = graph.reshape(graph.transpose(made[0], (0, 2, 1, 3)), (steps, batch, d * hidden))
        for kept, one in zip(last, made[1:], strict=True):
            kept.append(one)
    y = graph.transpose(x, (1, 0, 2)) if stack.batch_first else x
    return [graph.cast(one, dtype) for one in (y, *(graph.concat(kept, 0) for kept in last))]


def _check(dropout: float, train: bool, num_layers: int) -> None:
    if train and dropout and num_layers > 1:
        raise UnsupportedError("dropout is random")


@function("lstm.input", strided=True)
def lstm(
    graph: Graph,
    input: Value,
    hx: list[Value],
    params: list[Value],
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> Results:
    _check(dropout, train, num_layers)
    return _run(graph, _Stack("LSTM", has_biases, num_layers, bidirectional, batch_first), input, hx, params)


def _of_one_state(name: str, kind: str, activation: str = "", **attributes: object) -> None:
    @function(name, strided=True)
    def write(
        graph: Graph,
        input: Value,
        hx: Value,
        params: list[Value],
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Results:
        _check(dropout, train, num_layers)
        stack = _Stack(kind, has_biases, num_layers, bidirectional, batch_first)
        more = {"activations": [activation] * stack.directions} if activation else {}
        return _run(graph, stack, input, [hx], params, **attributes, **more)


_of_one_state("gru.input", "GRU", linear_before_reset=1)
_of_one_state("rnn_tanh.input", "RNN", "Tanh")
_of_one_state("rnn_relu.input", "RNN", "Relu")
