"""Custom operations in ExecuTorch, as its users add them: torch.library has the operation and its out variant, the
lowering takes the one for the other, and the runtime has a kernel under the name of the out variant.

The kernel is the case's reference, run by eager on the runtime's own memory (custom_kernels.cpp).
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Any

import executorch
import torch
from executorch.extension import pybindings

from adapters.executorch.llm_operations import own_operation
from adapters.torch.custom_ops import LIBRARY, Function, Registration
from adapters.worker.system import Json, UnsupportedError

SOURCE = Path(__file__).with_suffix(".cpp")
COMPILER = "g++"

# By torch's ScalarType, as the runtime numbers them.
DTYPES = (
    torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64,
    None, None, None, torch.bool, None, None, None, torch.bfloat16,
)  # fmt: skip


class Operand(ctypes.Structure):
    """A tensor of a call, as custom_kernels.cpp hands it over."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("sizes", ctypes.POINTER(ctypes.c_int32)),
        ("strides", ctypes.POINTER(ctypes.c_int32)),
        ("dims", ctypes.c_int32),
        ("dtype", ctypes.c_int32),
    )


RUN = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(Operand), ctypes.c_int)


def runtime_library() -> Path | None:
    """The extension module with the runtime, which others can register kernels in. From 1.5 on it is _C, which keeps
    the functions for that to itself."""
    folder = Path(next(iter(pybindings.__path__)))
    return next(folder.glob("_portable_lib.*.so"), None)


def can_build() -> bool:
    return shutil.which(COMPILER) is not None and runtime_library() is not None


def tensor_of(operand: Operand) -> torch.Tensor:
    """The runtime's memory as a tensor, without a copy."""
    sizes = operand.sizes[: operand.dims]
    strides = operand.strides[: operand.dims]
    dtype = DTYPES[operand.dtype]
    if dtype is None:
        raise TypeError(f"a tensor of ScalarType {operand.dtype}")
    if math.prod(sizes) == 0:
        return torch.empty_strided(sizes, strides, dtype=dtype)
    extent = 1 + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True))
    memory = (ctypes.c_char * (extent * dtype.itemsize)).from_address(operand.data)
    return torch.frombuffer(memory, dtype=dtype).as_strided(sizes, strides)


def library() -> ctypes.CDLL:
    """The kernels, built once for each environment; where that cannot be written to, once for each process."""
    runtime = runtime_library()
    if runtime is None:
        raise UnsupportedError("this release of ExecuTorch takes no kernels of others")
    mark = hashlib.sha256(SOURCE.read_bytes() + str(runtime).encode()).hexdigest()[:16]
    built = Path(sys.prefix) / f"parallax-kernels-{mark}.so"
    if built.exists():
        return ctypes.CDLL(str(built))
    headers = Path(next(iter(executorch.__path__))) / "include"
    kept = os.access(sys.prefix, os.W_OK)
    with tempfile.TemporaryDirectory(prefix="parallax-kernels-", dir=sys.prefix if kept else None) as folder:
        new = Path(folder) / built.name
        command = [COMPILER, "-std=c++17", "-O1", "-shared", "-fPIC", "-DC10_USING_CUSTOM_GENERATED_MACROS"]
        command += ["-DET_LOG_ENABLED=0"]  # 1.5 keeps the function that would write the log to itself
        command += [f"-I{headers}", f"-I{headers / 'executorch/runtime/core/portable_type/c10'}"]
        command += [str(SOURCE), "-o", str(new), str(runtime), f"-Wl,-rpath,{runtime.parent}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise UnsupportedError(f"the kernels of custom operations are not built: {done.stderr.strip()[-300:]}")
        return ctypes.CDLL(str(new.rename(built) if kept else new))  # nobody loads half a file


class Kernels(Registration):
    """What a case's operations are told to torch.library as, and their kernels."""

    def __init__(self, own_operations: bool = False) -> None:
        """`own_operations`: those that ExecuTorch has itself run as these (llm_operations.py)."""
        self._own_operations = own_operations
        self._library: ctypes.CDLL | None = None
        self._runs: list[tuple[int, Function]] = []  # by kernel: how many operands, and what runs
        self._names: list[bytes] = []  # which the runtime points to
        self._call = RUN(self._run)

    def own(self, reference: Json) -> Function | None:
        return own_operation(reference) if self._own_operations else None

    def adapted(self, schema: str, function: Function) -> tuple[str, Function]:
        """An out variant needs a result: where there is none, one number is, as ExecuTorch's own update_cache has."""
        if not schema.endswith("-> ()"):
            return schema, function

        def with_number(*operands: torch.Tensor) -> tuple[torch.Tensor]:
            function(*operands)
            return (torch.zeros(()),)

        return f"{schema.removesuffix('()')}Tensor", with_number

    def is_composite(self, schema: str) -> bool:
        """An out variant is given memory for all of its results, and None has none."""
        return super().is_composite(schema) or "Tensor?" in schema.rpartition(" -> ")[2]

    def defined(self, library: torch.library.Library, name: str, schema: str, run: Function) -> None:
        operands, _, results = schema.rpartition(" -> ")
        count = results.count("Tensor")
        outs = ["out"] if count == 1 else [f"out{i}" for i in range(count)]
        letters = [f"Tensor({chr(ord('z') - i)}!)" for i in range(count)]
        written = [f"{letter} {out}" for letter, out in zip(letters, outs, strict=True)]
        returned = letters[0] if count == 1 else f"({', '.join(letters)})"
        library.define(f"{name}.out{operands.removesuffix(')')}, *, {', '.join(written)}) -> {returned}")
        self._add(f"{LIBRARY}::{name}.out", operands.count("Tensor"), count, run)

    def _add(self, name: str, operands: int, results: int, run: Function) -> None:
        if self._library is None:
            self._library = library()
            self._library.parallax_run_with(self._call)
        if len(self._runs) == self._library.parallax_most_kernels():
            raise UnsupportedError(f"more than {len(self._runs)} custom operations in one process")
        self._names.append(name.encode())
        self._runs.append((operands, run))
        self._library.parallax_register(len(self._runs) - 1, self._names[-1], operands + results)

    def _run(self, kernel: int, operands: Any, count: int) -> int:
        """Called by the runtime."""
        try:
            taken, run = self._runs[kernel]
            tensors = [tensor_of(operands[i]) for i in range(count)]
            results = run(*tensors[:taken])
            for out, result in zip(tensors[taken:], results if isinstance(results, tuple) else (results,), strict=True):
                if out.shape != result.shape:
                    raise RuntimeError(f"memory for {list(out.shape)}, and {list(result.shape)} comes out")
                out.copy_(result)
        except Exception:
            traceback.print_exc()
            return 1
        return 0
