"""Element-wise layers, reductions and normalizations."""

from __future__ import annotations

import numpy as np

from adapters.ncnn.net import Blob, Weights, fits_parameter
from adapters.ncnn.writer import Node, Results, known_f32, per_sample, translation

# ---- one operand

# Operation types of UnaryOp, and layers with no parameter that matters.
UNARY = {
    "Abs": 0, "Neg": 1, "Floor": 2, "Ceil": 3, "Sqrt": 5, "Exp": 7, "Log": 8, "Sin": 9, "Cos": 10, "Tan": 11,
    "Asin": 12, "Acos": 13, "Atan": 14, "Reciprocal": 15, "Round": 18,
}  # fmt: skip
LAYERS = {
    "Tanh": "TanH", "Sigmoid": "Sigmoid", "Relu": "ReLU", "Erf": "Erf", "Mish": "Mish", "Softplus": "Softplus",
    "Selu": "SELU", "Identity": "Noop",
}  # fmt: skip


@translation(*UNARY)
def unary(node: Node) -> Results:
    return node.net.layer("UnaryOp", [node.blob()], node.blob().shape, {0: UNARY[node.kind]})


@translation(*LAYERS)
def plain(node: Node) -> Results:
    return node.net.layer(LAYERS[node.kind], [node.blob()], node.blob().shape)


@translation("LeakyRelu", "Elu", "Celu")
def with_slope(node: Node) -> Results:
    kind = {"LeakyRelu": "ReLU", "Elu": "ELU", "Celu": "CELU"}[node.kind]
    return node.net.layer(kind, [node.blob()], node.blob().shape, {0: float(node.attributes["alpha"])})


@translation("Gelu")
def gelu(node: Node) -> Results:
    fast = int(node.attributes["approximate"] == "tanh")
    return node.net.layer("GELU", [node.blob()], node.blob().shape, {0: fast})


@translation("Clip")
def clip(node: Node) -> Results:
    low, high = (node.number(index) for index in (1, 2))
    if low is None or high is None or not (fits_parameter(low) and fits_parameter(high)):
        raise node.refuse("a bound that a .param cannot carry")
    return node.net.layer("Clip", [node.blob()], node.blob().shape, {0: low, 1: high})


# ---- two operands

# Operation types of BinaryOp: with these operands, and with them the other way round.
BINARY = {"Add": (0, 0), "Sub": (1, 7), "Mul": (2, 2), "Div": (3, 8), "Max": (4, 4), "Min": (5, 5), "Pow": (6, 9)}


@translation(*BINARY)
def binary(node: Node) -> Results:
    forth, back = BINARY[node.kind]
    if len(node.operands) == 1:
        return node.blob()
    for number, other, operation in ((1, 0, forth), (0, 1, back)):
        scalar = node.number(number)
        if scalar is not None and fits_parameter(scalar) and node.constant(other) is None:
            x = aligned(node, other)
            if node.net.reshape(x, node.shape).shape == x.shape:
                return node.net.layer("BinaryOp", [x], x.shape, {0: operation, 1: 1, 2: scalar})
    a, b = aligned(node, 0), aligned(node, 1)
    return node.net.layer("BinaryOp", [a, b], node.shape or (1,), {0: forth})


def aligned(node: Node, index: int) -> Blob:
    """The operand with as many dims as the result: between blobs of different rank ncnn aligns the outermost dims,
    against everybody else (ncnn/docs/developer-guide/binaryop-broadcasting.md)."""
    x = node.blob(index)
    shape = node.shapes[index]
    return node.net.reshape(x, (*(1 for _ in range(len(node.shape) - len(shape))), *shape))


# ---- reductions

REDUCTIONS = {
    "ReduceSum": 0, "ReduceMean": 3, "ReduceMax": 4, "ReduceMin": 5, "ReduceProd": 6, "ReduceL1": 7, "ReduceL2": 8,
    "ReduceLogSumExp": 10,
}  # fmt: skip


@translation(*REDUCTIONS)
def reduction(node: Node) -> Results:
    axes = node.integers(1)
    if not axes:  # of each element by itself
        if node.kind in ("ReduceL1", "ReduceL2"):
            return node.net.layer("UnaryOp", [node.blob()], node.blob().shape, {0: UNARY["Abs"]})
        return node.net.layer("Noop", [node.blob()], node.blob().shape)
    return _reduce(node, node.blob(), REDUCTIONS[node.kind], axes, node.shape, node.attributes["keepdims"])


def _reduce(
    node: Node, x: Blob, operation: int, axes: list[int], shape: tuple[int, ...], keepdims: int
) -> Blob:  # fmt: skip
    # 5 is "fixbug0", without which ncnn counts axes as if there were a batch.
    return node.net.layer("Reduction", [x], shape, {0: operation, 1: 0, 3: axes, 4: keepdims, 5: 1})


@translation("Softmax")
def softmax(node: Node) -> Results:
    return node.net.layer("Softmax", [node.blob()], node.shape, {0: node.attributes["axis"], 1: 1})


@translation("LogSoftmax")
def log_softmax(node: Node) -> Results:
    """x - max - log(sum(exp(x - max))): the logarithm of ncnn's Softmax would be infinite where that underflows."""
    net, x, axis = node.net, node.blob(), node.attributes["axis"]
    kept = (*node.shape[:axis], 1, *node.shape[axis + 1 :])
    highest = _reduce(node, x, REDUCTIONS["ReduceMax"], [axis], kept, 1)
    lowered = net.layer("BinaryOp", [x, highest], x.shape, {0: BINARY["Sub"][0]})
    powers = net.layer("UnaryOp", [lowered], x.shape, {0: UNARY["Exp"]})
    total = _reduce(node, powers, REDUCTIONS["ReduceSum"], [axis], kept, 1)
    logarithm = net.layer("UnaryOp", [total], kept, {0: UNARY["Log"]})
    return net.layer("BinaryOp", [lowered, logarithm], x.shape, {0: BINARY["Sub"][0]})


@translation("CumSum")
def cumulative_sum(node: Node) -> Results:
    return node.net.layer("CumulativeSum", [node.blob()], node.shape, {0: node.integers(1)[0]})


# ---- normalizations


@translation("LayerNormalization")
def layer_norm(node: Node) -> Results:
    axis = node.attributes["axis"]
    lanes = node.shape[axis:]
    size = int(np.prod(lanes))
    if axis == 0 and len(lanes) > 1:
        raise node.refuse("ncnn's outermost dim is not among those that a LayerNorm takes")
    scale = node.constant(1)
    shift = node.constant(2) if node.has(2) else np.zeros(lanes, dtype=np.float32)
    x = node.blob()
    eps = float(node.attributes["epsilon"])
    if not fits_parameter(eps):
        raise node.refuse("an epsilon that a .param cannot carry")
    if scale is not None and shift is not None:
        weights = [Weights(known_f32(scale)), Weights(known_f32(shift))]
        return node.net.layer("LayerNorm", [x], x.shape, {0: size, 1: eps, 2: 1}, weights)
    made = node.net.layer("LayerNorm", [x], x.shape, {0: size, 1: eps, 2: 0})
    for index, operation in ((1, "Mul"), (2, "Add")):
        if node.has(index):
            given = node.net.reshape(node.blob(index), (*(1 for _ in range(axis)), *lanes))
            made = node.net.layer("BinaryOp", [made, given], made.shape, {0: BINARY[operation][0]})
    return made


@translation("BatchNormalization")
def batch_norm(node: Node) -> Results:
    scale, shift, mean, variance = (node.constant(index) for index in (1, 2, 3, 4))
    if scale is None or shift is None or mean is None or variance is None:
        raise node.refuse("ncnn's BatchNorm has its numbers in the model")
    weights = [Weights(known_f32(one)) for one in (scale, mean, variance, shift)]
    parameters = {0: scale.size, 1: float(node.attributes["epsilon"])}
    return per_sample(node, node.blob(), lambda x: node.net.layer("BatchNorm", [x], x.shape, parameters, weights))
