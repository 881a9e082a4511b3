"""Ops that neither the oracle knows nor PyTorch decomposes as a case needs it, each as what it means.

A formula takes the arguments of the op's schema, by its names, and calls PyTorch. It reads every one of them. A result
that it has no counterpart for, such as a kernel's workspace, is None.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch._decomp.decompositions import one_layer_lstm

from adapters.worker.one_answer import RefusedError

Tensor = torch.Tensor
aten = torch.ops.aten

FORMULAS: dict[str, Callable[..., Any]] = {}
SUM, MEAN, MAX = 0, 1, 2  # the modes of an embedding bag
LSTM = 2  # oneDNN's number


def formula(*ops: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        FORMULAS.update(dict.fromkeys(ops, function))
        return function

    return register


@formula("aten.detach_.default", "aten.lift_fresh.default", "aten.lift.default", "aten.positive.default")
def itself(self: Tensor) -> Tensor:
    return self


@formula("aten.requires_grad_.default")
def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    del requires_grad  # a case says itself which gradients it asks for
    return self


@formula("aten.dropout.default", "aten.feature_dropout.default", "aten.alpha_dropout.default")
@formula("aten.feature_alpha_dropout.default", "aten.dropout_.default", "aten.feature_dropout_.default")
def dropout(input: Tensor, p: float, train: bool) -> Tensor:
    if train and p > 0:
        raise RefusedError("dropout in training draws random numbers")
    return input


@formula("aten._int_mm.default")
def int_mm(self: Tensor, mat2: Tensor) -> Tensor:
    return aten.mm.default(self.to(torch.int32), mat2.to(torch.int32))


def counted(start: Any, end: Any, step: Any, dtype: Any, layout: Any, device: Any, pin_memory: Any) -> Tensor:
    if dtype is None:
        whole = all(isinstance(bound, int) for bound in (start, end, step))
        dtype = torch.int64 if whole else torch.get_default_dtype()
    places = {"layout": layout, "device": device, "pin_memory": pin_memory}
    return aten.arange.start_step(start, end, step, dtype=dtype, **places)


@formula("aten.arange.default")
def arange(end: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None) -> Tensor:
    return counted(0, end, 1, dtype, layout, device, pin_memory)


@formula("aten.arange.start")
def arange_from(
    start: Any, end: Any, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None
) -> Tensor:
    return counted(start, end, 1, dtype, layout, device, pin_memory)


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None, is_causal: bool, scale: float | None
) -> Tensor:
    """softmax(q kᵀ scale + mask) v, in f32 for halves. A row that the mask excludes as a whole is 0."""
    if query.dtype in (torch.float16, torch.bfloat16):
        wide = mask if mask is None or mask.dtype == torch.bool else mask.float()
        return attention(query.float(), key.float(), value.float(), wide, is_causal, scale).to(query.dtype)
    factor = query.shape[-1] ** -0.5 if scale is None else scale
    scores = torch.matmul(query, key.transpose(-2, -1)) * factor
    if is_causal:
        mask = torch.ones((query.shape[-2], key.shape[-2]), dtype=torch.bool).tril()
    if mask is None:
        return torch.matmul(torch.softmax(scores, -1), value)
    if mask.dtype == torch.bool:
        mask = torch.where(mask, torch.zeros((), dtype=query.dtype), float("-inf"))
    scores = scores + mask
    excluded = (scores == float("-inf")).all(-1, keepdim=True)
    return torch.matmul(torch.where(excluded, 0.0, torch.softmax(scores, -1)), value)


@formula("aten.scaled_dot_product_attention.default")
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: float = 0.0,
    is_causal: bool = False, *, scale: float | None = None, enable_gqa: bool = False,
) -> Tensor:  # fmt: skip
    if dropout_p > 0 or (attn_mask is not None and is_causal):
        raise RefusedError(f"attention with dropout_p={dropout_p}, is_causal={is_causal}")
    if enable_gqa:
        key, value = (one.repeat_interleave(query.shape[-3] // one.shape[-3], -3) for one in (key, value))
    return attention(query, key, value, attn_mask, is_causal, scale)


@formula("aten._scaled_dot_product_flash_attention_for_cpu.default")
def flash_attention_for_cpu(
    query: Tensor, key: Tensor, value: Tensor, dropout_p: float = 0.0, is_causal: bool = False, *,
    attn_mask: Tensor | None = None, scale: float | None = None,
) -> tuple[Any, ...]:  # fmt: skip
    if dropout_p > 0:
        raise RefusedError(f"attention with dropout_p={dropout_p}")
    return attention(query, key, value, attn_mask, is_causal, scale), None


@formula("aten.mkldnn_rnn_layer.default")
def mkldnn_rnn_layer(
    input: Tensor, weight0: Tensor, weight1: Tensor, weight2: Tensor, weight3: Tensor, hx_: Tensor, cx_: Tensor,
    reverse: bool, batch_sizes: list[int], mode: int, hidden_size: int, num_layers: int, has_biases: bool,
    bidirectional: bool, batch_first: bool, train: bool,
) -> tuple[Any, ...]:  # fmt: skip
    """One direction of one layer, whatever num_layers and bidirectional say of the whole; its input is time-major."""
    if mode != LSTM or batch_sizes or train:
        raise RefusedError(f"mkldnn_rnn_layer(mode={mode}, batch_sizes={batch_sizes}, train={train})")
    del num_layers, bidirectional, batch_first
    hidden = [state.reshape(input.shape[1], hidden_size) for state in (hx_, cx_)]
    weights = [weight0, weight1, weight2, weight3] if has_biases else [weight0, weight1]
    output, (last_hidden, last_cell) = one_layer_lstm(input, hidden, weights, has_biases, reverse=reverse)
    return output, last_hidden.reshape(hx_.shape), last_cell.reshape(cx_.shape), None


@formula("aten.embedding_bag.default", "aten.embedding_bag.padding_idx")
@formula("aten._embedding_bag.default", "aten._embedding_bag_forward_only.default")
def embedding_bag(
    weight: Tensor, indices: Tensor, offsets: Tensor, scale_grad_by_freq: bool = False, mode: int = SUM,
    sparse: bool = False, per_sample_weights: Tensor | None = None, include_last_offset: bool = False,
    padding_idx: int | None = -1,
) -> tuple[Any, ...]:  # fmt: skip
    """Bag b holds the rows from offsets[b] to the next offset. A bag without rows is 0."""
    del scale_grad_by_freq, sparse  # they are about the gradient
    starts = offsets[:-1] if include_last_offset else offsets
    bags, width = starts.shape[0], weight.shape[1]
    places = torch.arange(indices.shape[0], dtype=starts.dtype)
    bag = (places.unsqueeze(1) >= starts.unsqueeze(0)).sum(1) - 1
    rows = torch.nn.functional.embedding(indices, weight)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.unsqueeze(-1)
    counted_rows = None
    if padding_idx is not None and padding_idx != -1:
        counted_rows = (indices != padding_idx % weight.shape[0]).unsqueeze(-1)
    if include_last_offset:  # what lies behind it is in no bag
        inside = (places < offsets[-1]).unsqueeze(-1)
        counted_rows = inside if counted_rows is None else counted_rows & inside
        bag = bag.clamp_max(bags - 1)
    if mode == MAX:
        lowest = float("-inf")
        rows = rows if counted_rows is None else torch.where(counted_rows, rows, lowest)
        most = torch.full((bags, width), lowest, dtype=rows.dtype)
        most = most.scatter_reduce(0, bag.unsqueeze(-1).expand(-1, width), rows, "amax")
        return torch.where(most == lowest, 0.0, most).to(rows.dtype), None, None, None
    rows = rows if counted_rows is None else torch.where(counted_rows, rows, 0.0).to(rows.dtype)
    total = torch.zeros((bags, width), dtype=rows.dtype).index_add(0, bag, rows)
    if mode == MEAN:
        ones = torch.ones((indices.shape[0], 1), dtype=rows.dtype)
        ones = ones if counted_rows is None else counted_rows.to(rows.dtype)
        sizes = torch.zeros((bags, 1), dtype=rows.dtype).index_add(0, bag, ones)
        total = total / sizes.clamp_min(1.0)
    return total, None, None, None


@formula("aten.bilinear.default")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    product = torch.einsum("...i,kij,...j->...k", input1, weight, input2)
    return product if bias is None else product + bias


@formula("aten._trilinear.default")
def trilinear(
    i1: Tensor, i2: Tensor, i3: Tensor, expand1: list[int], expand2: list[int], expand3: list[int], sumdim: list[int],
    unroll_dim: int = 1,
) -> Tensor:  # fmt: skip
    """The sum over `sumdim` of the product of the three, each with dims of one inserted."""
    del unroll_dim  # how the kernel walks
    factors = []
    for factor, places in ((i1, expand1), (i2, expand2), (i3, expand3)):
        for place in places:
            factor = factor.unsqueeze(place)
        factors.append(factor)
    return (factors[0] * factors[1] * factors[2]).sum(sumdim)


@formula("aten.__lshift__.Scalar", "aten.__lshift__.Tensor")
def shifted_left(self: Tensor, other: Any) -> Tensor:
    return torch.bitwise_left_shift(self, other)


@formula("aten.__rshift__.Scalar", "aten.__rshift__.Tensor")
def shifted_right(self: Tensor, other: Any) -> Tensor:
    return torch.bitwise_right_shift(self, other)


@formula("aten.rrelu.default")
def rrelu(
    self: Tensor, lower: Any = 1 / 8, upper: Any = 1 / 3, training: bool = False, generator: Any = None
) -> Tensor:
    if training or generator is not None:
        raise RefusedError("rrelu in training draws random numbers")
    return torch.nn.functional.leaky_relu(self, (lower + upper) / 2)


@formula("aten.histc.default")
def histc(self: Tensor, bins: int = 100, min: Any = 0, max: Any = 0) -> Tensor:
    """Elements by bin; the last bin holds its upper end. Without bounds they are those of the elements."""
    flat = self.reshape(-1)
    if min == max and flat.numel() > 0:
        same = flat.amax() == flat.amin()
        low = torch.where(same, flat.amin() - 1, flat.amin())
        high = torch.where(same, flat.amax() + 1, flat.amax())
    else:
        low, high = torch.full((), min, dtype=flat.dtype), torch.full((), max, dtype=flat.dtype)
    inside = (flat >= low) & (flat <= high)
    place = torch.where(inside, (flat - low) / (high - low) * bins, 0.0).floor().to(torch.int64)
    return torch.zeros(bins, dtype=flat.dtype).index_add(0, place.clamp_max(bins - 1), inside.to(flat.dtype))


def empties(fill: float) -> dict[str, Callable[..., Any]]:
    """The ops whose results hold no values yet, with these values. A program that shows them is refused."""

    def filled(size: list[int], dtype: Any, memory_format: Any, places: dict[str, Any]) -> Tensor:
        dtype = dtype or torch.get_default_dtype()
        made = aten.full.default(size, bool(fill) if dtype == torch.bool else fill, dtype=dtype, **places)
        if memory_format in (None, torch.contiguous_format, torch.preserve_format):
            return made
        return made.contiguous(memory_format=memory_format)

    def empty(
        size: list[int], *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None,
        memory_format: Any = None,
    ) -> Tensor:  # fmt: skip
        return filled(size, dtype, memory_format, {"layout": layout, "device": device, "pin_memory": pin_memory})

    def empty_strided(
        size: list[int], stride: list[int], *, dtype: Any = None, layout: Any = None, device: Any = None,
        pin_memory: Any = None,
    ) -> Tensor:  # fmt: skip
        places = {"layout": layout, "device": device, "pin_memory": pin_memory}
        last = 1 + sum((length - 1) * step for length, step in zip(size, stride, strict=True))
        return filled([0 if 0 in size else last], dtype, None, places).as_strided(size, stride)

    def new_empty(
        self: Tensor, size: list[int], *, dtype: Any = None, layout: Any = None, device: Any = None,
        pin_memory: Any = None,
    ) -> Tensor:  # fmt: skip
        places = {"layout": layout, "device": device, "pin_memory": pin_memory}
        return filled(size, dtype or self.dtype, None, places)

    def new_empty_strided(
        self: Tensor, size: list[int], stride: list[int], *, dtype: Any = None, layout: Any = None,
        device: Any = None, pin_memory: Any = None,
    ) -> Tensor:  # fmt: skip
        places = {"layout": layout, "device": device, "pin_memory": pin_memory}
        return empty_strided(size, stride, dtype=dtype or self.dtype, **places)

    def empty_like(
        self: Tensor, *, dtype: Any = None, layout: Any = None, device: Any = None, pin_memory: Any = None,
        memory_format: Any = None,
    ) -> Tensor:  # fmt: skip
        places = {"layout": layout, "device": device, "pin_memory": pin_memory}
        value = bool(fill) if (dtype or self.dtype) == torch.bool else fill
        return aten.full_like.default(self, value, dtype=dtype, memory_format=memory_format, **places)

    def empty_permuted(
        size: list[int], physical_layout: list[int], *, dtype: Any = None, layout: Any = None, device: Any = None,
        pin_memory: Any = None,
    ) -> Tensor:  # fmt: skip
        places = {"layout": layout, "device": device, "pin_memory": pin_memory}
        made = filled([size[dim] for dim in physical_layout], dtype, None, places)
        return made.permute([physical_layout.index(dim) for dim in range(len(size))])

    return {
        "aten.empty.memory_format": empty,
        "aten.empty_strided.default": empty_strided,
        "aten.new_empty.default": new_empty,
        "aten.new_empty_strided.default": new_empty_strided,
        "aten.empty_like.default": empty_like,
        "aten.empty_permuted.default": empty_permuted,
    }
