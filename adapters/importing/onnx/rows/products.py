"""Products of matrices and sums over named dims."""

from __future__ import annotations

import re
from math import prod

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value


@row("MatMul")
def matmul(b: Builder, node: Node) -> Results:
    return b.matmul(node.x, node.operand(1))


@row("Gemm")
def gemm(b: Builder, node: Node) -> Results:
    left, right = node.x, node.operand(1)
    if node.version < 7:
        node.attribute("broadcast")
    if node.flag("transA"):
        left = b.call("t_copy.default", left, shape=left.shape[::-1])
    if node.flag("transB"):
        right = b.call("t_copy.default", right, shape=right.shape[::-1])
    alpha, beta, added = node.number("alpha", 1.0), node.number("beta", 1.0), node.optional(2)
    if not left.is_float:
        if alpha % 1 or beta % 1:
            raise NoCounterpartError("integers and an alpha or beta that is none")
        alpha, beta = int(alpha), int(beta)
    shape = (left.shape[0], right.shape[1])
    if added is not None:
        return b.call("addmm.default", added, left, right, shape=shape, beta=beta, alpha=alpha)
    product = b.call("mm.default", left, right, shape=shape)
    return product if alpha == 1 else b.mul(product, alpha)


@row("Einsum")
def einsum(b: Builder, node: Node) -> Results:
    """Two operands are multiplied as batches of matrices at a time; labels that nobody needs are summed up first."""
    operands = node.every()
    terms, result = _labels(node.word("equation", ""), [one.rank for one in operands])
    parts = [_diagonal(b, operand, list(term)) for operand, term in zip(operands, terms, strict=True)]
    made, labels = parts[0]
    for i, (other, others) in enumerate(parts[1:], 2):
        later = set(result).union(*(term for _, term in parts[i:]))
        made, labels = _pair(b, (made, labels), (other, others), later)
    gone = [d for d, label in enumerate(labels) if label not in result]
    if gone:
        made = b.sum(made, gone, keep=False)
        labels = [label for label in labels if label in result]
    permuted = b.permute(made, [labels.index(label) for label in result])
    return b.clone(permuted) if permuted is node.x else permuted


def _labels(equation: str, ranks: list[int]) -> tuple[list[list[str]], list[str]]:
    """The labels of each operand and of the result; an ellipsis stands for labels of its own."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise NoCounterpartError(f"equation {equation!r} for {len(ranks)} operands")
    if any("..." in term for term in terms):
        widest = max(rank - len(term.replace("...", "")) for term, rank in zip(terms, ranks, strict=True))
    else:
        widest = 0
    batch = [f"...{i}" for i in range(widest)]

    def spread(term: str, rank: int | None) -> list[str]:
        before, dots, after = term.partition("...")
        count = len(batch) if rank is None else rank - len(before) - len(after)
        return [*before, *(batch[len(batch) - count :] if dots else []), *after]

    inputs = [spread(term, rank) for term, rank in zip(terms, ranks, strict=True)]
    if arrow:
        return inputs, spread(right, None)
    letters = re.sub(r"[^A-Za-z]", "", left)
    return inputs, [*batch, *sorted(letter for letter in set(letters) if letters.count(letter) == 1)]


def _diagonal(b: Builder, x: Value, labels: list[str]) -> tuple[Value, list[str]]:
    for label in dict.fromkeys(labels):
        while labels.count(label) > 1:
            first = labels.index(label)
            second = labels.index(label, first + 1)
            rest = [size for d, size in enumerate(x.shape) if d not in (first, second)]
            x = b.call("diagonal_copy.default", x, 0, first, second, shape=[*rest, x.shape[first]])
            labels = [one for d, one in enumerate(labels) if d not in (first, second)] + [label]
    return x, labels


Part = tuple[Value, list[str]]


def _pair(b: Builder, left: Part, right: Part, later: set[str]) -> Part:
    """The product of two operands, summed over what no later one and not the result has."""
    (x, xs), (y, ys) = left, right
    sizes: dict[str, int] = {}
    for one, labels in (left, right):
        for label, size in zip(labels, one.shape, strict=True):
            sizes[label] = max(sizes.get(label, 1), size)
    both = [label for label in xs if label in ys]
    # A label of 1 in one operand and of more in the other broadcasts: it is expanded.
    x = b.expand(x, [sizes[label] for label in xs])
    y = b.expand(y, [sizes[label] for label in ys])
    batch = [label for label in both if label in later]
    inner = [label for label in both if label not in later]
    rows, columns = [label for label in xs if label not in both], [label for label in ys if label not in both]

    def matrix(value: Value, labels: list[str], *groups: list[str]) -> Value:
        value = b.permute(value, [labels.index(label) for group in groups for label in group])
        return b.reshape(value, [prod(sizes[label] for label in group) for group in groups])

    a, c = matrix(x, xs, batch, rows, inner), matrix(y, ys, batch, inner, columns)
    made = b.call("bmm.default", a, c, shape=(a.shape[0], a.shape[1], c.shape[2]))
    labels = [*batch, *rows, *columns]
    return b.reshape(made, [sizes[label] for label in labels]), labels


@row("Det")
def det(b: Builder, node: Node) -> Results:
    """Of small matrices, by minors."""
    size, rank = node.x.shape[-1], node.x.rank
    if size > 3 or size != node.x.shape[-2]:
        raise NoCounterpartError(f"a determinant of {list(node.x.shape)}: ATen has none that the oracle knows")

    def element(i: int, j: int) -> Value:
        return b.select(b.select(node.x, rank - 2, i), rank - 2, j)

    def minor(rows: list[int], columns: list[int]) -> Value:
        if len(rows) == 1:
            return element(rows[0], columns[0])
        total: Value | None = None
        for i, column in enumerate(columns):
            rest = [one for one in columns if one != column]
            term = b.mul(element(rows[0], column), minor(rows[1:], rest))
            total = term if total is None else b.sub(total, term) if i % 2 else b.add(total, term)
        assert total is not None
        return total

    return minor(list(range(size)), list(range(size)))
