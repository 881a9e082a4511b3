"""Losses against class indices."""

from __future__ import annotations

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value


def _loss(b: Builder, node: Node, logs: Value) -> Value:
    """The negative log of each target's probability, weighted and reduced."""
    target, weight, reduction = b.cast(node.operand(1), "i64"), node.optional(2), node.word("reduction", "mean")
    ignored: Value | None = None
    if node.has("ignore_index"):
        ignored = b.compare("eq", target, node.integer("ignore_index", -100))
        target = b.where(ignored, 0, target)
    place = b.reshape(target, [target.shape[0], 1, *target.shape[1:]])
    picked = b.reshape(b.call("gather.default", logs, 1, place, shape=place.shape), target.shape)
    loss = b.unary("neg", picked)
    shares: Value | None = None
    if weight is not None:
        shares = b.index(weight, [target])
        shares = shares if ignored is None else b.where(ignored, 0, shares)
        loss = b.mul(loss, shares)
    elif ignored is not None:
        shares = b.cast(b.unary("logical_not", ignored), loss.dtype)
    if ignored is not None:
        loss = b.where(ignored, 0, loss)
    dims = list(range(loss.rank))
    if reduction == "none":
        return loss
    if reduction == "sum":
        return b.sum(loss, dims, False)
    if reduction != "mean":
        raise NoCounterpartError(f"reduction is {reduction!r}")
    return b.mean(loss, dims, False) if shares is None else b.div(b.sum(loss, dims, False), b.sum(shares, dims, False))


@row("NegativeLogLikelihoodLoss")
def negative_log_likelihood(b: Builder, node: Node) -> Results:
    return _loss(b, node, node.x)


@row("SoftmaxCrossEntropyLoss")
def cross_entropy(b: Builder, node: Node) -> Results:
    logs = b.call("log_softmax.int", node.x, 1)
    return [_loss(b, node, logs), logs]
