"""Libraries that define ops of their own, loaded before a program that calls them is read.

What somebody names is run: a shared library, a Python file or a module. Those that PyTorch's own quantization flows
write into programs are loaded unasked, where they are installed.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from adapters.worker.one_answer import RefusedError

KERNEL_KEYS = ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CPU")
ALWAYS = ("torch.ao.quantization.fx._decomposed", "torchao")


KERNELS: dict[str, Callable[..., Any]] = {}  # "library::op.overload" and the Python function that computes it


def keep_kernels() -> None:
    """Has every kernel that is registered from now on kept in KERNELS: the dispatcher gives none back."""
    if getattr(torch.library.Library.impl, "keeps", False):
        return
    register = torch.library.Library.impl

    def impl(self: Any, op_name: Any, fn: Any, dispatch_key: str = "", **options: Any) -> Any:
        name = op_name if isinstance(op_name, str) else op_name.name()
        if (dispatch_key or self.dispatch_key or KERNEL_KEYS[0]) in KERNEL_KEYS:
            KERNELS[f"{self.ns}::{name.rpartition('::')[2].removesuffix('.default')}"] = fn
        return register(self, op_name, fn, dispatch_key, **options)

    impl.keeps = True  # type: ignore[attr-defined]
    torch.library.Library.impl = impl


def kernel_of(overload: torch._ops.OpOverload) -> Callable[..., Any] | None:
    return KERNELS.get(overload.name().removesuffix(".default"))


def load_libraries(named: list[str]) -> None:
    keep_kernels()
    for module in ALWAYS:
        with contextlib.suppress(Exception):  # not installed, or not for this PyTorch
            importlib.import_module(module)
    for library in named:
        try:
            load_library(library)
        except Exception as error:
            lines = str(error).strip().splitlines() or [""]
            raise RefusedError(f"--library {library}: {type(error).__name__}: {lines[0]}") from None


def load_library(library: str) -> None:
    path = Path(library)
    if path.suffix in (".so", ".dylib", ".dll"):
        torch.ops.load_library(str(path.resolve()))
    elif path.suffix == ".py":
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None:
            raise ImportError("it is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module  # a pickle of its classes finds them there
        spec.loader.exec_module(module)
    else:
        importlib.import_module(library)
