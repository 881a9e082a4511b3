"""Integer operators: QLinearConv, QLinearMatMul, ConvInteger and MatMulInteger in place of the floats between a
DequantizeLinear and a QuantizeLinear, as older quantizers write models.

The operators sum in i32 and round once. Rounding is optional at each step that they replace, so that either is right.
What they cannot say stays as it is: scales by channel of a matrix, a bias in floats, an activation before the result is
quantized. DynamicQuantizeLinear chooses its scale without eager's smallest one, and is not written.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from adapters.onnx.graph import Graph, Node, Value
from adapters.worker.arrays import DTYPES, Array
from adapters.worker.switches import Settings, Switch
from adapters.worker.system import Json

# A switch of the targets that take models of this kind.
INTEGERS = Switch("integers", ("pairs", "operators"))


def facts_of(graph: Graph, settings: Settings) -> Json:
    """Rewrites a graph where the settings say so, and tells how much of it."""
    if settings["integers"] == "pairs":
        return {}
    rewritten = IntegerOperators(graph)
    return {"fused": rewritten.fused, "fusable": rewritten.fusable} if rewritten.fusable else {}


@dataclass(frozen=True)
class Quantized:
    """An operand of 8 bits, with what dequantizes it."""

    integers: str
    scale: str
    zero_point: str
    shape: tuple[int, ...]
    channels: bool  # a scale for each


class IntegerOperators:
    """Rewrites a graph. `fused` of the `fusable` calls became integer operators."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        everything = [*graph.inputs, *graph.made]
        self._values = {value.name: value for value in everything}
        self._readers = Counter(name for _, operands, _, _ in graph.nodes for name in operands)
        self._readers.update(value.name for value in graph.outputs)
        self._makers: dict[str, Node] = {}
        self.fused = self.fusable = 0
        if graph.subgraphs:  # which may read any value of this one
            return
        nodes, graph.nodes = graph.nodes, []
        for node in nodes:
            if not self._quantizes(node):
                graph.nodes.append(node)
            self._makers.update(dict.fromkeys(node[2], node))
        self._drop_unread()
        # A product that nobody quantized again.
        nodes, graph.nodes = graph.nodes, []
        for node in nodes:
            if not self._sums(node):
                graph.nodes.append(node)
        self._drop_unread()

    def _quantizes(self, node: Node) -> bool:
        """QuantizeLinear of a product of two dequantized operands, as one operator."""
        kind, operands, results, attributes = node
        made = self._makers.get(operands[0]) if kind == "QuantizeLinear" else None
        if made is None or made[0] not in ("Conv", "MatMul") or "axis" in attributes or len(operands) < 3:
            return False
        self.fusable += 1
        pair = self._operands(made)
        if pair is None or self._readers[operands[0]] != 1 or not self._meet(pair[0].scale, pair[1].scale, operands[1]):
            return False
        x, w = pair
        given = [x.integers, x.scale, x.zero_point, w.integers, w.scale, w.zero_point, operands[1], operands[2]]
        if made[0] == "MatMul":
            if w.channels:
                return False
            self._graph.nodes.append(("QLinearMatMul", given, results, {}))
        else:
            bias = self._bias(made, x, w)
            if bias is None:
                return False
            self._graph.nodes.append(("QLinearConv", [*given, *bias], results, made[3]))
        self.fused += 1
        return True

    def _sums(self, node: Node) -> bool:
        """A product that stays a float: the integers' sum, times both scales."""
        kind, operands, results, attributes = node
        if kind not in ("Conv", "MatMul"):
            return False
        pair = self._operands(node)
        if pair is None:
            return False
        self.fusable += 1
        x, w = pair
        if w.channels or len([name for name in operands if name]) > 2:
            return False
        graph, made = self._graph, self._values[results[0]]
        given = [x.integers, w.integers, x.zero_point, w.zero_point]
        total = Value(graph.fresh_name(), "i32", made.shape)
        graph.made.append(total)
        graph.nodes.append((f"{kind}Integer", given, [total.name], attributes))
        scales = graph.op("Mul", Value(x.scale, "f32", ()), Value(w.scale, "f32", ()))
        graph.nodes.append(("Mul", [graph.cast(total, "f32").name, scales.name], results, {}))
        self.fused += 1
        return True

    def _operands(self, node: Node) -> tuple[Quantized, Quantized] | None:
        x, w = (self._quantized(name) for name in node[1][:2])
        if (
            x is None
            or w is None
            or x.channels
            or not self._meet(x.scale, w.scale)
            or (node[0] == "MatMul" and min(len(x.shape), len(w.shape)) < 2)
        ):
            return None
        return x, w

    def _meet(self, *scales: str) -> bool:
        """Whether the scales are known, and their product is far from the ends of f32: the operators multiply them."""
        known = [self._graph.initializers.get(name) for name in scales]
        exponents = [np.abs(np.log2(scale)).max() for scale in known if scale is not None and (scale > 0).all()]
        return len(exponents) == len(scales) and sum(exponents) < 100

    def _quantized(self, name: str) -> Quantized | None:
        made = self._makers.get(name)
        if made is None:
            return None
        kind, operands, _, attributes = made
        if kind == "Transpose":
            inner = self._quantized(operands[0])
            if inner is None or inner.channels:
                return None
            shape = [inner.shape[d] for d in attributes["perm"]]
            turned = Value(self._graph.fresh_name(), self._dtype(inner.integers) or "", tuple(shape))
            self._graph.made.append(turned)
            self._values[turned.name] = turned
            self._graph.nodes.append((kind, [inner.integers], [turned.name], attributes))
            return Quantized(turned.name, inner.scale, inner.zero_point, turned.shape, False)
        dtype = self._dtype(operands[0]) if kind == "DequantizeLinear" else None
        scale = self._shape(operands[1]) if dtype in ("u8", "i8") else None
        if scale is None or len(scale) > 1 or attributes.get("axis", 0) != 0:
            return None
        zero_point = operands[2] if len(operands) > 2 else self._graph.constant(np.zeros(scale), dtype or "").name
        return Quantized(operands[0], operands[1], zero_point, self._shape(operands[0]) or (), scale not in ((), (1,)))

    def _bias(self, conv: Node, x: Quantized, w: Quantized) -> list[str] | None:
        """The bias of a convolution in steps of the sum, as a list of one, or of none; None where it is in others."""
        if len(conv[1]) < 3:
            return []
        made = self._makers.get(conv[1][2])
        if made is None or made[0] != "DequantizeLinear" or self._dtype(made[1][0]) != "i32" or len(made[1]) > 2:
            return None
        scales = [self._graph.initializers.get(name) for name in (x.scale, w.scale, made[1][1])]
        if any(scale is None for scale in scales):
            return None
        return [made[1][0]] if same_scale(*scales) else None  # type: ignore[arg-type]

    def _dtype(self, name: str) -> str | None:
        if name in self._values:
            return self._values[name].dtype
        array = self._graph.initializers.get(name)
        return None if array is None else next(dtype for dtype, one in DTYPES.items() if array.dtype == one)

    def _shape(self, name: str) -> tuple[int, ...] | None:
        if name in self._values:
            return self._values[name].shape
        array = self._graph.initializers.get(name)
        return None if array is None else array.shape

    def _drop_unread(self) -> None:
        read = {value.name for value in self._graph.outputs}
        kept: list[Node] = []
        for node in reversed(self._graph.nodes):
            if not read & {*node[2]}:
                continue
            read.update(node[1])
            kept.append(node)
        self._graph.nodes = kept[::-1]
        made = {name for node in kept for name in node[2]}
        self._graph.made = [value for value in self._graph.made if value.name in made]
        self._makers = {name: node for node in self._graph.nodes for name in node[2]}


def same_scale(x: Array, w: Array, bias: Array) -> bool:
    """Whether a bias is in steps of x times w, as f32 has them."""
    product = (x.astype(np.float64) * w.astype(np.float64)).astype(np.float32).reshape(-1)
    return product.size in (1, bias.size) and bool((product == bias.reshape(-1)).all())
