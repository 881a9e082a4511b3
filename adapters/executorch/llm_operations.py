"""Custom operations that ExecuTorch has itself, for language models: writes into caches of keys and values, and
attention over them (extension/llm/custom_ops). A case's operation runs as one of these where its reference is written
as fuzz/generate/attention_operations.cpp writes them. Any other one runs as its reference.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import torch

from adapters.torch.custom_ops import Function
from adapters.torch.straight_line import overload
from adapters.torch.tensors import parse_type
from adapters.worker.system import Json

ATTENTION = "aten.scaled_dot_product_attention.default"
ONES = "aten.ones.default"
SLICE = "aten.slice.Tensor"
TRANSPOSE = "aten.transpose.int"


@cache
def operations() -> Any:
    """The namespace of ExecuTorch's own, or None where the release has none."""
    try:
        from executorch.extension.llm.custom_ops import custom_ops  # noqa: F401 - registers them
    except (ImportError, OSError, AssertionError):
        return None
    return torch.ops.llama


class OtherFormError(Exception):
    """A reference that is written otherwise."""


class Reader:
    """Takes the calls of a reference in order."""

    def __init__(self, reference: Json) -> None:
        self._nodes = reference["nodes"]
        self._taken = 0
        self._outputs = reference["outputs"]
        types = {f"%{name}": parse_type(spec["type"]) for name, spec in reference["inputs"].items()}
        self._dtypes = {dtype for dtype, _ in types.values()}
        self._sizes = {name: sizes for name, (_, sizes) in types.items()}
        self.inputs = list(self._sizes)

    def is_of_tokens(self) -> bool:
        """Whether all inputs are f32 of batch, places, heads and depth, and of one batch and depth: kernels broadcast
        nothing."""
        sizes = list(self._sizes.values())
        if self._dtypes != {torch.float32} or any(len(one) != 4 or 0 in one for one in sizes):
            return False
        return all((one[0], one[3]) == (sizes[0][0], sizes[0][3]) for one in sizes)

    def places(self, name: str) -> int:
        return self._sizes[name][1]

    def heads(self, name: str) -> int:
        return self._sizes[name][2]

    def expect(self, condition: bool) -> None:
        if not condition:
            raise OtherFormError

    def next_is(self, op: str) -> bool:
        return self._taken < len(self._nodes) and self._nodes[self._taken]["op"] == op

    def whole(self, op: str, place: int) -> int:
        """A whole number that the next call of an op is given."""
        number = self.argument(op, place)
        self.expect(type(number) is int)
        return number

    def argument(self, op: str, place: int) -> Any:
        """What the next call of an op is given."""
        for node in self._nodes[self._taken :]:
            if node["op"] == op:
                return bound(node)[place]
        raise OtherFormError

    def take(self, op: str, *args: Any, **kwargs: Any) -> str:
        """The result of the next call, which has to be this one."""
        self.expect(self.next_is(op))
        node = self._nodes[self._taken]
        self.expect(bound(node) == bound({"op": op, "args": list(args), "kwargs": kwargs}))
        self._taken += 1
        return f"%{node['out']}"

    def end(self, *outputs: str) -> None:
        self.expect(self._taken == len(self._nodes) and self._outputs == list(outputs))


def bound(node: Json) -> list[Any]:
    """The arguments of a call by place, with their defaults."""
    given, named = node.get("args", []), node.get("kwargs", {})
    parameters = overload(node["op"])._schema.arguments
    rest = [named.get(p.name, p.default_value if p.has_default_value() else None) for p in parameters[len(given) :]]
    return [*given, *rest]


def read_write(reader: Reader, fresh: str, cached: str, start: int) -> None:
    reader.expect(0 <= start <= reader.places(cached) - reader.places(fresh))
    reader.expect(reader.heads(fresh) == reader.heads(cached))
    window = reader.take(SLICE, cached, 1, start, start + reader.places(fresh), 1)
    reader.take("aten.copy_.default", window, fresh)


def read_attention(reader: Reader, query: str, caches: list[str], start: int) -> tuple[bool, float | None]:
    """Whether a query sees no later place than its own, and the factor of the scores, where it is not the usual."""
    end = start + reader.places(query)
    shapes = {(reader.places(cached), reader.heads(cached)) for cached in caches}
    reader.expect(len(shapes) == 1 and start >= 0 and end <= reader.places(caches[0]))
    causal = reader.next_is(ONES)
    mask = None
    if causal:
        mask = reader.take("aten.tril.default", reader.take(ONES, [reader.places(query), end], dtype="bool"), start)

    def read(cached: str) -> str:
        part = reader.take(TRANSPOSE, reader.take(SLICE, cached, 1, 0, end, 1), 1, 2)
        times = reader.heads(query) // reader.heads(cached)
        return part if times == 1 else reader.take("aten.repeat_interleave.self_int", part, times, 1)

    given = [reader.take(TRANSPOSE, query, 1, 2), *(read(cached) for cached in caches), mask, 0.0, False]
    scale = reader.argument(ATTENTION, 6)
    back = reader.take(TRANSPOSE, reader.take(ATTENTION, *given, scale=scale), 1, 2)
    reader.end(reader.take("aten.clone.default", back, memory_format="contiguous_format"))
    return causal, scale


def update_cache(reader: Reader) -> Function:
    fresh, cached = reader.inputs
    start = reader.whole(SLICE, 2)
    read_write(reader, fresh, cached, start)
    reader.end()

    def run(fresh: torch.Tensor, cached: torch.Tensor) -> None:
        operations().update_cache(fresh, cached, start)

    return run


def custom_sdpa(reader: Reader) -> Function:
    query, *caches = reader.inputs
    start = reader.whole(SLICE, 3) - reader.places(query)
    causal, scale = read_attention(reader, query, caches, start)
    return lambda query, keys, values: operations().custom_sdpa(query, keys, values, start, None, 0.0, causal, scale)


def sdpa_with_kv_cache(reader: Reader) -> Function:
    query, *fresh_ones, keys, values = reader.inputs
    start = reader.whole(SLICE, 2)
    for fresh, cached in zip(fresh_ones, (keys, values), strict=True):
        read_write(reader, fresh, cached, start)
    causal, scale = read_attention(reader, query, [keys, values], start)
    steps = reader.places(query)
    return lambda *operands: operations().sdpa_with_kv_cache(*operands, start, steps, None, 0.0, causal, scale)


FORMS = {2: update_cache, 3: custom_sdpa, 5: sdpa_with_kv_cache}  # by how many operands there are


def own_operation(reference: Json) -> Function | None:
    """What calls ExecuTorch's own operation with the tensors of the reference, where there is one."""
    form = FORMS.get(len(reference["inputs"]))
    if form is None or operations() is None:
        return None
    reader = Reader(reference)
    try:
        return form(reader) if reader.is_of_tokens() and hasattr(operations(), form.__name__) else None
    except OtherFormError:
        return None
