"""thunder: Lightning Thunder on the CPU, whose traces run on eager's kernels.

Thunder traces PyTorch's public functions and knows no ATen overload, so a node calls the public function that PyTorch
generates from the same schema: same name, same arguments, and the overload follows from these.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from typing import Any

import torch

from adapters.torch.case_module import Program, all_ops, case_module, grad_mode, live, quiet_single_thread, torch_hello
from adapters.torch.gradients import run_case
from adapters.worker.last_program import remembered
from adapters.worker.loop import serve
from adapters.worker.switches import parse
from adapters.worker.system import Json, Rejection, Stages, System, UnsupportedError

REJECTIONS = (
    Rejection(
        r"^NotImplementedError: .*(not (yet )?(been )?(supported|implemented)|unsupported|only .* supported)",
        "thunder/torch/__init__.py: NotImplementedError is its word for an argument that it does not take",
    ),
    Rejection(
        r"^TypeError: \w+\(\) got an unexpected keyword argument '\w+'$",
        "thunder/torch/__init__.py: a function has no parameter for what it does not take",
    ),
    Rejection(
        r"max_val \S+ must be larger than min_val",
        "thunder/torch/__init__.py: bounds of hardtanh, as torch.nn.Hardtanh has them; the function does not",
    ),
    Rejection(
        r"Failed to find a gradient transform for bound symbol",
        "thunder/transforms/autodiff.py: an operation without a rule for gradients",
    ),
    Rejection(
        r"^ValueError: Expected more than 1 value per channel when training, got input size",
        "torch/nn/functional.py: thunder runs torch.group_norm as torch.nn.functional.group_norm, which checks that",
    ),
    Rejection(
        r"^RuntimeError: Expected w\.shape=\([\d, ]*\) to have length 2, but found length \d+!",
        "thunder/core/prims.py, linear_meta: a weight has two dims there; torch's linear takes one of one dim too",
    ),
)

# Where PyTorch puts the functions of its schemas, and what it takes off their names there.
_NAMESPACES: tuple[tuple[Any, str], ...] = (
    (torch, ""),
    (torch.Tensor, ""),
    (torch._C._nn, ""),
    (torch.special, "special_"),
    (torch.linalg, "linalg_"),
)
# Functions written in Python have signatures of their own.
_GENERATED = (types.BuiltinFunctionType, types.MethodDescriptorType)


def slice_by_index(x: torch.Tensor, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> torch.Tensor:
    """aten.slice as Python spells it."""
    return x[(slice(None),) * (dim % x.dim()) + (slice(start, end, step),)]


def to_by_name(
    x: torch.Tensor, dtype: torch.dtype, non_blocking: bool = False, copy: bool = False, memory_format: Any = None
) -> torch.Tensor:
    """aten.to.dtype as the method has it: the memory format by name; and flags only where they are set."""
    flags = {"non_blocking": non_blocking, "copy": copy, "memory_format": memory_format}
    return x.to(dtype, **{name: value for name, value in flags.items() if value})


# What PyTorch generates no function for, and programs are full of; and what takes arguments by name only.
_SPELLED: dict[str, Callable[..., Any]] = {"slice": slice_by_index, "split": torch.split, "to": to_by_name}

# What takes alpha.
_SCALED = ("add", "sub", "rsub")

# What has a legacy overload with a flag, `unbiased`; the parameter that is documented is a correction.
_VARIANCES = ("std", "var", "var_mean")

# Methods of named tensors that thunder 0.2.6 lists at import, and that PyTorch 2.13 has no more.
_REMOVED = ("align_as", "align_to", "has_names", "refine_names", "rename")


def scaled(function: Callable[..., Any]) -> Callable[..., Any]:
    """ATen's add.Scalar takes alpha by position; the public function takes it by name."""

    def call(x: torch.Tensor, other: Any, alpha: Any = 1) -> torch.Tensor:
        return function(x, other) if alpha == 1 else function(x, other, alpha=alpha)

    return call


def corrected(function: Callable[..., Any], overload: str) -> Callable[..., Any]:
    """The legacy overloads of variances by the documented parameters."""
    if overload == "default":
        return lambda x, unbiased=True: function(x, correction=int(unbiased))
    return lambda x, dim, unbiased=True, keepdim=False: function(x, dim, correction=int(unbiased), keepdim=keepdim)


def restore_removed_methods() -> list[str]:
    """Puts stand-ins where thunder looks for removed methods: their names."""

    def stand_in(name: str) -> Callable[..., Any]:
        def method(*_: Any) -> Any:
            raise NotImplementedError(f"PyTorch has no Tensor.{name} any more")

        method.__name__ = name
        method.__module__ = torch.Tensor.__module__
        return method

    removed = [name for name in _REMOVED if not hasattr(torch.Tensor, name)]
    for name in removed:
        setattr(torch.Tensor, name, stand_in(name))
    return removed


def public_functions(op: str) -> Iterator[Callable[..., Any]]:
    """The functions that PyTorch generated from the schema of "aten.add.Tensor", or of its siblings."""
    name = op.split(".")[1]
    for namespace, prefix in _NAMESPACES:
        function = getattr(namespace, name.removeprefix(prefix), None) if name.startswith(prefix) else None
        if isinstance(function, _GENERATED):
            yield function


def make_system(arguments: list[str]) -> System:
    parse(arguments, ())
    quiet_single_thread()
    removed = restore_removed_methods()
    import thunder
    from thunder.torch import _torch_to_thunder_function_map as known

    def find(op: str) -> Callable[..., Any] | None:
        _, name, overload = op.split(".")
        function = _SPELLED.get(name) or next((one for one in public_functions(op) if one in known), None)
        if function and name in _VARIANCES and overload in ("default", "dim"):
            return corrected(function, overload)
        return scaled(function) if function and name.removesuffix("_") in _SCALED else function

    def resolve(op: str) -> Callable[..., Any]:
        function = find(op)
        if function is None:
            raise UnsupportedError(f"thunder has no {op}")
        return function

    @remembered
    def build(graph: Json, inputs: tuple[torch.Tensor, ...], stages: Stages) -> Program:
        module = case_module(graph, resolve)
        compiled = thunder.jit(module)
        with stages("compile"), grad_mode(inputs):
            compiled(*inputs)
        return Program(live(graph, compiled, identity=False, put=compiled.set_buffer))

    hello = torch_hello("thunder", "eager", "lightning-thunder")
    hello["gradients"] = hello["custom_ops"] = True
    hello["ops"] = [*(op for op in all_ops() if find(op)), "getitem"]
    if removed:
        hello["versions"]["stand-ins"] = ", ".join(f"Tensor.{name}" for name in removed)
    return System(lambda: hello, lambda request, stages: run_case(request, stages, build, ("custom",)), REJECTIONS)


if __name__ == "__main__":
    serve(make_system)
