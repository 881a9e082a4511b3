"""Convolutions and their transposes."""

from __future__ import annotations

import numpy as np

from adapters.importing.onnx.node import Node
from adapters.importing.onnx.rows.windows import windows
from adapters.importing.onnx.table import Results, row
from adapters.importing.onnx.values import Builder, NoCounterpartError, Value


@row("Conv")
def conv(b: Builder, node: Node) -> Results:
    return convolved(b, node, node.x, node.operand(1), node.optional(2))


def convolved(b: Builder, node: Node, x: Value, weight: Value, bias: Value | None) -> Value:
    kernel = node.integers("kernel_shape") or list(weight.shape[2:])
    if kernel != list(weight.shape[2:]):
        raise NoCounterpartError(f"kernel_shape is {kernel}, and the weight's {list(weight.shape[2:])}")
    spec, pads = windows(node, x.shape[2:], kernel), [0] * len(kernel)
    if spec.symmetric:
        pads = spec.before
    else:
        x = b.pad(x, spec.before, spec.after)
    shape = (x.shape[0], weight.shape[0], *spec.outputs)
    return b.call("convolution.default", x, weight, bias, spec.strides, pads, spec.dilations, False, [0] * len(kernel),
                  node.integer("group", 1), shape=shape)  # fmt: skip


@row("ConvTranspose")
def conv_transpose(b: Builder, node: Node) -> Results:
    x, weight, bias = node.x, node.operand(1), node.optional(2)
    dims, kernel = x.rank - 2, node.integers("kernel_shape") or list(weight.shape[2:])
    if kernel != list(weight.shape[2:]):
        raise NoCounterpartError(f"kernel_shape is {kernel}, and the weight's {list(weight.shape[2:])}")
    strides, dilations = node.integers("strides") or [1] * dims, node.integers("dilations") or [1] * dims
    extra, group = node.integers("output_padding") or [0] * dims, node.integer("group", 1)
    pads, auto = node.integers("pads") or [0] * 2 * dims, node.word("auto_pad", "NOTSET")
    wanted = node.integers("output_shape")
    full = [(x.shape[2 + d] - 1) * strides[d] + (kernel[d] - 1) * dilations[d] + 1 for d in range(dims)]
    before, after = pads[:dims], pads[dims:]
    if auto == "VALID":
        before, after = [0] * dims, [0] * dims
    if wanted is None and auto in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [x.shape[2 + d] * strides[d] for d in range(dims)]
    elif auto not in ("NOTSET", "VALID", "SAME_UPPER", "SAME_LOWER"):
        raise NoCounterpartError(f"auto_pad is {auto!r}")
    if wanted is not None:
        totals = [full[d] + extra[d] - wanted[-dims:][d] for d in range(dims)]
        if min(totals) < 0 and node.attribute("output_shape") is None:
            raise NoCounterpartError(f"auto_pad {auto!r} where the result is larger than what the windows reach")
        less, more = [total // 2 for total in totals], [total - total // 2 for total in totals]
        before, after = (less, more) if auto == "SAME_UPPER" else (more, less)
    sizes = [full[d] + extra[d] - before[d] - after[d] for d in range(dims)]
    lead = (x.shape[0], weight.shape[1] * group)
    plain = before == after and min(before) >= 0 and all(e < max(s, d) for e, s, d in zip(extra, strides, dilations,
                                                                                           strict=True))  # fmt: skip
    if plain:
        return b.call("convolution.default", x, weight, bias, strides, before, dilations, True, extra, group,
                      shape=(*lead, *sizes))  # fmt: skip
    # The whole, then cut off or filled up, then the bias, which is added to what is filled up too.
    made = b.call("convolution.default", x, weight, None, strides, [0] * dims, dilations, True, [0] * dims, group,
                  shape=(*lead, *full))  # fmt: skip
    made = b.pad(made, [-one for one in before], [e - one for e, one in zip(extra, after, strict=True)])
    return made if bias is None else b.add(made, b.reshape(bias, [bias.numel, *[1] * dims]))


@row("CausalConvWithState")
def causal_conv(b: Builder, node: Node) -> Results:
    """A convolution of each channel with what came before, and what the next call comes after."""
    x, weight, bias, past = node.x, node.operand(1), node.optional(2), node.optional(3)
    reach = weight.shape[2] - 1
    node.only("activation", "none", "silu", "swish")
    before = b.known(np.zeros([*x.shape[:2], reach]), x.dtype) if past is None else past
    whole = b.concat([before, x], 2) if reach else x
    made = b.call("convolution.default", whole, weight, bias, [1], [0], [1], False, [0], x.shape[1], shape=x.shape)
    if node.word("activation", "none") != "none":
        made = b.unary("silu", made)
    return [made, b.slice(whole, 2, whole.shape[2] - reach, whole.shape[2])]


@row("DeformConv")
def deform_conv(b: Builder, node: Node) -> Results:
    """For each place of the kernel the picture sampled where the offsets say, then products with the weights."""
    x, weight, offset, bias, mask = node.x, node.operand(1), node.operand(2), node.optional(3), node.optional(4)
    if x.rank != 4:
        raise NoCounterpartError(f"{x.rank - 2} spatial dims")
    batch, channels, height, width = x.shape
    kernel = list(weight.shape[2:])
    if (node.integers("kernel_shape") or kernel) != kernel:
        raise NoCounterpartError("kernel_shape is not the weight's")
    groups, parts, places = node.integer("group", 1), node.integer("offset_group", 1), kernel[0] * kernel[1]
    strides, dilations = node.integers("strides") or [1, 1], node.integers("dilations") or [1, 1]
    pads, outputs = node.integers("pads") or [0] * 4, list(offset.shape[2:])
    # Each group of offsets as a picture of its own.
    pictures = b.reshape(x, [batch * parts, channels // parts, height, width])
    offsets = b.reshape(offset, [batch * parts, places, 2, *outputs])
    masks = None if mask is None else b.reshape(mask, [batch * parts, places, 1, *outputs])
    sampled = []
    for place in range(places):
        shifts = b.select(offsets, 1, place)
        ends = []
        for dim, at in enumerate(divmod(place, kernel[1])):
            begin = np.arange(outputs[dim]) * strides[dim] - pads[dim] + at * dilations[dim]
            begin = begin.reshape([-1, 1] if dim == 0 else [1, -1])
            where = b.add(b.select(shifts, 1, dim), b.known(begin, x.dtype))
            ends.append(b.sub(b.div(b.add(b.mul(where, 2), 1), x.shape[2 + dim]), 1))
        grid = b.stack(ends[::-1], 3)
        shape = [*pictures.shape[:2], *outputs]
        made = b.call("grid_sampler_2d.default", pictures, grid, 0, 0, False, shape=shape)
        sampled.append(made if masks is None else b.mul(made, b.select(masks, 1, place)))
    columns = b.reshape(b.stack(sampled, 2), [batch, groups, channels // groups * places, outputs[0] * outputs[1]])
    rows = b.reshape(weight, [groups, weight.shape[0] // groups, weight.shape[1] * places])
    result = b.reshape(b.matmul(rows, columns), [batch, weight.shape[0], *outputs])
    return result if bias is None else b.add(result, b.reshape(bias, [bias.numel, 1, 1]))
