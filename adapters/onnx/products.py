"""Matrix products. Halves stay halves: runtimes choose how they sum."""

from __future__ import annotations

from adapters.onnx.graph import Graph, Value, broadcast, carried, keeps
from adapters.onnx.ops import Results, always, function, wide
from adapters.onnx.pointwise import node
from adapters.onnx.promotion import Number, is_float, promote


def product(graph: Graph, a: Value, b: Value) -> Value:
    """torch.matmul: as numpy's, and as ONNX's MatMul."""
    worked = "f32" if a.dtype == "bf16" else carried(a.dtype)
    dtype, a, b = a.dtype, graph.cast(a, worked), graph.cast(b, worked)
    left = a.shape if a.rank > 1 else (1, *a.shape)
    right = b.shape if b.rank > 1 else (*b.shape, 1)
    batch = broadcast(left[:-2], right[:-2])
    shape = [*batch, *([left[-2]] if a.rank > 1 else []), *([right[-1]] if b.rank > 1 else [])]
    return graph.cast(graph.op("MatMul", a, b, shape=shape), dtype)


@function("mm.default", "bmm.default", "mv.default", row_major=always)
def mm(graph: Graph, self: Value, mat2: Value) -> Results:
    return product(graph, self, mat2)


# A smaller left operand may be folded into the right one, and the result is then transposed.
@function("matmul.default", "dot.default", "vdot.default", row_major=lambda ranks: ranks[0] >= ranks[1])
def matmul(graph: Graph, self: Value, other: Value) -> Results:
    return product(graph, self, other)


@function("outer.default", "ger.default")
def outer(graph: Graph, self: Value, vec2: Value) -> Results:
    return node(graph, "Mul", graph.unsqueeze(self, 1), graph.unsqueeze(vec2, 0))


@function("linear.default", row_major=always)
def linear(graph: Graph, input: Value, weight: Value, bias: Value | None = None) -> Results:
    if input.rank == 2 and weight.rank == 2 and bias is not None and bias.rank == 1 and is_float(input.dtype):
        shape = (input.shape[0], weight.shape[0])
        return graph.op("Gemm", input, weight, bias, shape=shape, transB=1)
    turned = graph.transpose(weight, (1, 0)) if weight.rank == 2 else weight
    made = product(graph, input, turned)
    return made if bias is None else _sum(graph, bias, made, 1, 1)


def _sum(graph: Graph, self: Value, made: Value, beta: Number, alpha: Number) -> Value:
    """beta self + alpha made; with beta 0 self is not looked at, NaN or not."""
    worked = wide(carried(self.dtype))
    scaled = graph.cast(made, worked)
    if alpha != 1:
        scaled = graph.op("Mul", scaled, graph.number(alpha, worked))
    if beta == 0:
        return graph.cast(scaled, self.dtype)
    base = graph.cast(self, worked)
    if beta != 1:
        base = graph.op("Mul", base, graph.number(beta, worked))
    return graph.cast(graph.op("Add", base, scaled), self.dtype)


@function("addmm.default", in_place=True, row_major=always)
def addmm(graph: Graph, self: Value, mat1: Value, mat2: Value, beta: Number = 1, alpha: Number = 1) -> Results:
    if is_float(self.dtype) and beta != 0 and keeps(self.dtype, float(alpha), float(beta)):
        shape = (mat1.shape[0], mat2.shape[1])
        return graph.op("Gemm", mat1, mat2, self, shape=shape, alpha=float(alpha), beta=float(beta))
    return _sum(graph, self, product(graph, mat1, mat2), beta, alpha)


@function("addmv.default", in_place=True)
def addmv(graph: Graph, self: Value, mat: Value, vec: Value, beta: Number = 1, alpha: Number = 1) -> Results:
    return _sum(graph, self, product(graph, mat, vec), beta, alpha)


@function("baddbmm.default", in_place=True, row_major=always)
def baddbmm(graph: Graph, self: Value, batch1: Value, batch2: Value, beta: Number = 1, alpha: Number = 1) -> Results:
    return _sum(graph, self, product(graph, batch1, batch2), beta, alpha)


@function("addr.default", in_place=True)
def addr(graph: Graph, self: Value, vec1: Value, vec2: Value, beta: Number = 1, alpha: Number = 1) -> Results:
    dtype = promote(promote(self.dtype, vec1.dtype), vec2.dtype)  # self is expanded first, so a scalar counts
    worked = wide(carried(dtype))
    a, b = (graph.cast(x, worked) for x in (vec1, vec2))
    return _sum(
        graph, graph.cast(self, dtype), graph.op("Mul", graph.unsqueeze(a, 1), graph.unsqueeze(b, 0)), beta, alpha
    )
