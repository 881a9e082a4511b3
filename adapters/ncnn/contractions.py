"""Matrix products, convolutions, pools. A weight that is known is in the model, another is an operand."""

from __future__ import annotations

import numpy as np

from adapters.ncnn.net import Blob, Weights, fits_parameter
from adapters.ncnn.pointwise import BINARY
from adapters.ncnn.writer import Node, Results, known_f32, per_sample, sizes_of, translation


@translation("MatMul")
def matmul(node: Node) -> Results:
    right = node.constant(1)
    if right is not None and right.ndim == 2 and node.rank in (1, 2):
        return _inner_product(node, right.T, None)
    return node.net.layer("MatMul", [node.blob(0), node.blob(1)], sizes_of(node.shape))


@translation("Gemm")
def gemm(node: Node) -> Results:
    """alpha (A B) + beta C; ncnn's Gemm has alpha (A B + beta C), where 1 / 3 would round an integer."""
    alpha, beta = float(node.attributes.get("alpha", 1)), float(node.attributes.get("beta", 1))
    turned = node.attributes.get("transB", 0)
    right, bias = node.constant(1), node.constant(2)
    if alpha == beta == 1 and right is not None and bias is not None and bias.ndim == 1:
        return _inner_product(node, right if turned else right.T, bias)
    if alpha == 0 or not (fits_parameter(alpha) and fits_parameter(beta / alpha)):
        raise node.refuse("factors that a .param cannot carry")
    operands = [node.blob(index) for index in (0, 1, 2)]
    if operands[2].rank == 1 and operands[2].shape[0] > 1:
        operands[2] = node.net.reshape(operands[2], (1, operands[2].shape[0]))  # a row; one dim could be a column
    if float(np.float32(beta / alpha)) * alpha == beta:
        return node.net.layer("Gemm", operands, node.shape, {0: alpha, 1: beta / alpha, 3: turned})
    product = node.net.layer("Gemm", operands[:2], node.shape, {0: alpha, 3: turned})
    addend = operands[2]
    if beta != 1:
        addend = node.net.layer("BinaryOp", [addend], addend.shape, {0: BINARY["Mul"][0], 1: 1, 2: beta})
    return node.net.layer("BinaryOp", [product, addend], node.shape, {0: BINARY["Add"][0]})


def _inner_product(node: Node, weight: np.ndarray, bias: np.ndarray | None) -> Blob:
    """x Wᵀ + b, the weight with a row for each output."""
    outputs = weight.shape[0]
    weights = [Weights(known_f32(weight), flagged=True)]
    if bias is not None:
        weights.append(Weights(np.broadcast_to(known_f32(bias), (outputs,))))
    parameters = {0: outputs, 1: int(bias is not None), 2: weight.size}
    return node.net.layer("InnerProduct", [node.blob()], node.shape, parameters, weights)


# ---- convolutions

# By spatial dims: the name's end and the parameters of kernel, dilation, stride and pads, for w, h and d.
SUFFIX = {1: "1D", 2: "", 3: "3D"}
KERNEL, DILATION, STRIDE = (1, 11, 21), (2, 12, 22), (3, 13, 23)
BEFORE, AFTER = (4, 14, 24), (15, 16, 17)


@translation("Conv", "ConvTranspose")
def convolution(node: Node) -> Results:
    dims, group = node.rank - 2, node.attributes["group"]
    transposed = node.kind == "ConvTranspose"
    weight, bias = node.constant(1), node.constant(2) if node.has(2) else None
    dynamic = weight is None or (node.has(2) and bias is None)
    if dims not in SUFFIX:
        raise node.refuse("more than three spatial dims")
    if dynamic and dims == 3:
        raise node.refuse("ncnn's layers of three spatial dims have their weights in the model")
    kernel, channels, pads = node.shapes[1][2:], node.shape[1], node.attributes["pads"]
    parameters: dict[int, int] = {0: channels, 5: int(node.has(2)), 6: int(np.prod(node.shapes[1]))}
    for ids, numbers in (
        (KERNEL, kernel), (DILATION, node.attributes["dilations"]), (STRIDE, node.attributes["strides"]),
        (BEFORE, pads[:dims]), (AFTER, pads[dims:]),
    ):  # fmt: skip
        parameters |= dict(zip(ids, reversed(numbers), strict=False))
    parameters |= {7: group} if group > 1 else {}
    if transposed:
        parameters |= dict(zip((18, 19, 20), reversed(node.attributes["output_padding"]), strict=False))
        dynamic_id = 28
    else:
        dynamic_id = 19
    name = f"{'Deconvolution' if transposed else 'Convolution'}{'DepthWise' if group > 1 else ''}{SUFFIX[dims]}"
    weights: list[Weights] = []
    operands: list[Blob] = []
    if dynamic:
        parameters[dynamic_id] = 1
        operands = [_weight_blob(node, transposed, group), *([node.blob(2)] if node.has(2) else [])]
    else:
        assert weight is not None
        weights.append(Weights(known_f32(_weight_order(weight, transposed, group)), flagged=True))
        weights += [Weights(known_f32(bias))] if bias is not None else []
    return per_sample(
        node,
        node.blob(),
        lambda x: node.net.layer(name, [x, *operands], node.shape[1:], parameters, weights),
    )


def _weight_order(weight: np.ndarray, transposed: bool, group: int) -> np.ndarray:
    """ncnn keeps a weight as ONNX's Conv does, by output channel; ONNX's ConvTranspose has input channels first."""
    if not transposed:
        return weight
    parts = weight.reshape(group, weight.shape[0] // group, *weight.shape[1:])
    return np.swapaxes(parts, 1, 2)


def _weight_blob(node: Node, transposed: bool, group: int) -> Blob:
    if transposed:
        raise node.refuse("a weight that is known only at run time")
    if len(node.shapes[1]) > 4:
        raise node.refuse("a weight of more than four dims")
    return node.blob(1)


# ---- pools


@translation("MaxPool", "AveragePool")
def pool(node: Node) -> Results:
    dims = node.rank - 2
    if dims not in SUFFIX or any(n != 1 for n in node.attributes.get("dilations", [])):
        raise node.refuse("a dilated window, or more than three spatial dims")
    if node.attributes.get("ceil_mode"):
        raise node.refuse("a last window that reaches beyond the end")
    pads = node.attributes["pads"]
    parameters: dict[int, int] = {0: int(node.kind == "AveragePool"), 5: 1}  # 5: floor, with the pads as given
    for ids, numbers in (
        ((1, 11, 21), node.attributes["kernel_shape"]), ((2, 12, 22), node.attributes["strides"]),
        ((3, 13, 23), pads[:dims]), ((14, 15, 16), pads[dims:]),
    ):  # fmt: skip
        parameters |= dict(zip(ids, reversed(numbers), strict=False))
    if node.kind == "AveragePool":
        parameters[6] = node.attributes["count_include_pad"]
    kind = f"Pooling{SUFFIX[dims]}"
    return per_sample(node, node.blob(), lambda x: node.net.layer(kind, [x], node.shape[1:], parameters))


@translation("Resize")
def resize(node: Node) -> Results:
    """Of two spatial dims: nearest from the lower corner, and linear."""
    if node.rank != 4 or node.shape[:2] != node.shapes[0][:2]:
        raise node.refuse("other than two spatial dims")
    where = node.attributes["coordinate_transformation_mode"]
    kinds = {("nearest", "asymmetric"): 1, ("linear", "half_pixel"): 2, ("linear", "align_corners"): 2}
    kind = kinds.get((node.attributes["mode"], where))
    if kind is None:
        raise node.refuse("a mode that ncnn's Interp has not")
    parameters = {0: kind, 3: node.shape[2], 4: node.shape[3], 6: int(where == "align_corners")}
    return per_sample(node, node.blob(), lambda x: node.net.layer("Interp", [x], node.shape[1:], parameters))
