"""iree-cpu: IREE's llvm-cpu target, run by its runtime inside the worker."""

from __future__ import annotations

import iree.runtime

from arrays import DTYPES, Array
from iree_path import build_with, make_iree
from onnx_case import Instance
from onnx_writer import Written
from worker import System, serve

FLAGS = ("--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host")


def make(_: list[str]) -> System:
    config = iree.runtime.Config("local-sync")

    def load(module: bytes, written: Written) -> Instance:
        loaded = iree.runtime.load_vm_module(iree.runtime.VmModule.copy_buffer(config.vm_instance, module), config)
        dtypes = [DTYPES[value.dtype] for value in written.graph.outputs]

        def run(arrays: list[Array]) -> list[Array]:
            results = loaded["case"](*arrays)
            several = results if isinstance(results, tuple | list) else [results]
            # A boolean comes back as a byte.
            return [
                result.to_host().astype(dtype) if dtype == DTYPES["bool"] else result.to_host()
                for result, dtype in zip(several, dtypes, strict=True)
            ]

        return run

    return make_iree("iree-cpu", build_with(FLAGS, load))


if __name__ == "__main__":
    serve(make)
