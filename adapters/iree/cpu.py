"""iree-cpu: IREE's llvm-cpu target, run by its runtime inside the worker."""

from __future__ import annotations

from adapters.iree.pipeline import load_on_cpu, make_iree
from adapters.worker.loop import serve

FLAGS = ("--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host")

if __name__ == "__main__":
    serve(lambda arguments: make_iree("iree-cpu", arguments, FLAGS, load_on_cpu))
