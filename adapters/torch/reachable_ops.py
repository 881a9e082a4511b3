"""Which ATen overloads a system reaches that knows some of them, and decomposes into these."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch

# Whether the system knows an overload: a translation of its own, or an entry in its table of decompositions.
Knows = Callable[[torch._ops.OpOverload], bool]


def reachable(ops: Iterable[str], knows: Knows) -> list[str]:
    """Those that the system knows, or that decompose in one step at least: what comes of that, nobody can say before it
    is tried. In-place ops are functional by then, and not all under the same overload's name."""
    dispatched = set(torch._C._dispatch_get_all_op_names())

    def find(name: str, variant: str) -> torch._ops.OpOverload | None:
        packet = getattr(torch.ops.aten, name, None)
        if packet is None or variant not in packet.overloads():
            return None
        one = getattr(packet, variant)
        return one if one.name() in dispatched else None  # others are TorchScript's alone

    def is_reachable(op: str) -> bool:
        _, name, variant = op.split(".")
        own = find(name, variant)
        if own is None:
            return False
        one = find(name.removesuffix("_"), variant) if own._schema.is_mutable else own
        return (
            one is None or knows(one) or one.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd)
        )

    return [op for op in ops if op == "getitem" or is_reachable(op)]
