"""A target with one known fault: eager, of which one node, or all calls of a kind, are wrong.

    PYTHON bench/faulty_eager.py FAULT [NODE]

`threads` and `plain` are no faults: eager on all cores, and without oneDNN.

A worker of the adapter protocol, for `--target 'cmd:PYTHON bench/faulty_eager.py scale conv2d_3'`. NODE is the name of
a node's result in the case. A part of the program that holds the node has the fault too; one that does not is right.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

sys.path.append(str(Path(__file__).resolve().parent.parent))

from adapters.torch.case_module import Program, case_module, live, torch_hello
from adapters.torch.control_flow import DIRECT
from adapters.torch.gradients import run_case
from adapters.torch.straight_line import overload
from adapters.worker.loop import serve
from adapters.worker.switches import UsageError
from adapters.worker.system import Json, Stages, System

SUFFIX = ".faulty"  # of the op of a node that is wrong


def scaled(result: torch.Tensor) -> torch.Tensor:
    return result * (1 + 1e-3)


def rolled(result: torch.Tensor) -> torch.Tensor:
    return result.flatten().roll(1).view(result.shape)


def noisy(result: torch.Tensor) -> torch.Tensor:
    """A normal error of 1e-4 of the largest element, the same each time."""
    noise = torch.randn(result.shape, generator=torch.Generator().manual_seed(1))
    return result + 1e-4 * result.abs().max() * noise


OF_RESULTS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "scale": scaled,
    "rolled": rolled,
    "zeros": torch.zeros_like,
    "noise": noisy,
}


def in_half(total: torch.Tensor) -> torch.Tensor:
    return total.half().float()


def product_in_half(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """a @ b with an accumulator of f16, which is rounded after every eighth term."""
    total = torch.zeros(())
    for begin in range(0, a.shape[-1], 8):
        total = in_half(total + a[..., begin : begin + 8] @ b[..., begin : begin + 8, :])
    return total


def linear_in_half(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None) -> torch.Tensor:
    product = product_in_half(x, weight.t())
    return product if bias is None else product + bias


def addmm_in_half(bias: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return bias + product_in_half(a, b)


def convolution_in_half(
    x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None = None, *rest: Any
) -> torch.Tensor:
    """Rounded after every eighth input channel; of groups, once."""
    groups = rest[3] if len(rest) > 3 else 1
    total = torch.zeros(())
    for begin in range(0, x.shape[1] if groups == 1 else 1, 8):
        part = slice(begin, begin + 8) if groups == 1 else slice(None)
        total = in_half(total + torch.ops.aten.conv2d.default(x[:, part], weight[:, part], None, *rest))
    return total if bias is None else total + bias.view(1, -1, 1, 1)


PRODUCTS: dict[str, Callable[..., Any]] = {
    "aten.linear.default": linear_in_half,
    "aten.addmm.default": addmm_in_half,
    "aten.mm.default": product_in_half,
    "aten.bmm.default": product_in_half,
    "aten.matmul.default": product_in_half,
    "aten.conv2d.default": convolution_in_half,
}


def other_gelu(x: torch.Tensor, approximate: str = "none") -> torch.Tensor:
    return torch.ops.aten.gelu.default(x, approximate="tanh" if approximate == "none" else "none")


def stale(written: torch.Tensor, *_: Any) -> torch.Tensor:
    """A write that is left out: what was there before stays."""
    return written


def resolve_of(fault: str) -> Callable[[str], Callable[..., Any]]:
    def resolve(op: str) -> Callable[..., Any]:
        if fault == "f16":
            return PRODUCTS.get(op, overload(op))
        if fault == "gelu":
            return other_gelu if op == "aten.gelu.default" else overload(op)
        if not op.endswith(SUFFIX):
            return overload(op)
        if fault == "stale":
            return stale
        right, spoiled = overload(op.removesuffix(SUFFIX)), OF_RESULTS[fault]
        return lambda *args, **kwargs: spoiled(right(*args, **kwargs))

    return resolve


def with_fault_at(graph: Json, node_name: str) -> Json:
    """The graph with another op at that node, which `resolve_of` knows."""
    nodes = [{**node, "op": node["op"] + SUFFIX} if node["out"] == node_name else node for node in graph["nodes"]]
    return {**graph, "nodes": nodes}


def make_system(arguments: list[str]) -> System:
    kinds = (*OF_RESULTS, "stale", "f16", "gelu", "threads", "plain")
    if not arguments or arguments[0] not in kinds:
        raise UsageError(f"a fault of {', '.join(kinds)}, and the node")
    fault, *names = arguments
    if fault != "threads":
        torch.set_num_threads(1)
    torch.backends.mkldnn.enabled = fault != "plain"

    def build(graph: Json, _: tuple[torch.Tensor, ...], __: Stages) -> Program:
        for name in names:
            graph = with_fault_at(graph, name)
        return Program(live(graph, case_module(graph, resolve_of(fault), DIRECT), identity=False))

    hello = torch_hello(f"faulty-eager {' '.join(arguments)}", "eager", promises_identity=False)
    return System(lambda: hello, lambda request, stages: run_case(request, stages, build))


if __name__ == "__main__":
    serve(make_system)
