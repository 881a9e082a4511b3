"""Activations with parameters."""

from __future__ import annotations

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value

SELU = (1.67326319217681884765625, 1.05070102214813232421875)


@row("LeakyRelu", "Elu", "Celu")
def slopes(b: Builder, node: Node) -> Results:
    op, default = {"LeakyRelu": ("leaky_relu", 0.01), "Elu": ("elu", 1.0), "Celu": ("celu", 1.0)}[node.kind]
    return b.call(f"{op}.default", node.x, node.number("alpha", default))


@row("Selu")
def selu(b: Builder, node: Node) -> Results:
    """An elu with a scale: aten.selu has parameters of its own."""
    alpha, gamma = SELU if node.version >= 6 else (1.6732, 1.0507)
    return b.call("elu.default", node.x, node.number("alpha", alpha), node.number("gamma", gamma))


@row("Gelu")
def gelu(b: Builder, node: Node) -> Results:
    return b.call("gelu.default", node.x, approximate=node.word("approximate", "none"))


@row("Softplus")
def softplus(b: Builder, node: Node) -> Results:
    # Beyond the threshold eager returns its operand, which an f64 tells from the sum up to about 37.
    return b.call("softplus.default", node.x, *([1, 40] if node.x.dtype == "f64" else []))


@row("Softsign")
def softsign(b: Builder, node: Node) -> Results:
    return b.div(node.x, b.add(b.unary("abs", node.x), 1))


@row("HardSigmoid")
def hard_sigmoid(b: Builder, node: Node) -> Results:
    alpha, beta = node.number("alpha", 0.2), node.number("beta", 0.5)
    return b.call("clamp.default", b.add(b.mul(node.x, alpha), beta), 0, 1)


@row("ThresholdedRelu")
def thresholded_relu(b: Builder, node: Node) -> Results:
    return b.where(b.compare("gt", node.x, node.number("alpha", 1.0)), node.x, 0)


@row("Shrink")
def shrink(b: Builder, node: Node) -> Results:
    bias, bound = node.number("bias", 0.0), node.number("lambd", 0.5)
    if not node.x.is_float:
        if bias % 1 or bound % 1:
            raise NoCounterpartError("integers and a bias or lambd that is none")
        bias, bound = int(bias), int(bound)
    inner = b.where(b.compare("gt", node.x, bound), b.sub(node.x, bias), 0)
    return b.where(b.compare("lt", node.x, -bound), b.add(node.x, bias), inner)


@row("PRelu", since=7)
def prelu(b: Builder, node: Node) -> Results:
    return b.where(b.compare("lt", node.x, 0), b.mul(node.x, node.operand(1)), node.x)


def swished(b: Builder, x: Value, alpha: float) -> Value:
    if alpha == 1:
        return b.unary("silu", x)
    return b.mul(x, b.unary("sigmoid", b.mul(x, alpha)))


@row("Swish")
def swish(b: Builder, node: Node) -> Results:
    return swished(b, node.x, node.number("alpha", 1.0))


@row("SwiGLU")
def swiglu(b: Builder, node: Node) -> Results:
    return b.mul(swished(b, node.x, node.number("alpha", 1.0)), node.operand(1))


@row("Softmax", "LogSoftmax", "Hardmax")
def softmax(b: Builder, node: Node) -> Results:
    """Along an axis; before operator set 13 over all dims from the axis on, as one."""
    x, axis = node.x, node.axis(1 if node.version < 13 else -1)
    if node.version < 13:
        lead = 1
        for size in x.shape[:axis]:
            lead *= size
        rest = 1
        for size in x.shape[axis:]:
            rest *= size
        return b.reshape(_softmax(b, node.kind, b.reshape(x, [lead, rest]), 1), x.shape)
    return _softmax(b, node.kind, x, axis)


def _softmax(b: Builder, kind: str, x: Value, axis: int) -> Value:
    if kind != "Hardmax":
        return b.call({"Softmax": "softmax.int", "LogSoftmax": "log_softmax.int"}[kind], x, axis)
    first = b.call("argmax.default", x, axis, True, dtype="i64", shape=b.reduced(x, [axis], True))
    places = b.reshape(b.integers(range(x.shape[axis])), [x.shape[axis], *[1] * (x.rank - 1 - axis)])
    return b.cast(b.compare("eq", first, places), x.dtype)
