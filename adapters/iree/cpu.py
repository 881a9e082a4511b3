"""iree-cpu: IREE's llvm-cpu target, run by its runtime inside the worker.

?backend=vmvx has its interpreter's target in place of llvm-cpu. It is for a case that somebody gives, and no campaign
draws it: the profile was measured on llvm-cpu.
"""

from __future__ import annotations

from adapters.iree.pipeline import load_on_cpu, make_iree
from adapters.worker.loop import serve
from adapters.worker.switches import Switch, parse
from adapters.worker.system import System

BACKENDS = {
    "llvm-cpu": ("--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=host"),
    "vmvx": ("--iree-hal-target-backends=vmvx",),
}


def make(arguments: list[str]) -> System:
    settings = parse(arguments, (Switch("backend", tuple(BACKENDS)),))
    return make_iree("iree-cpu", BACKENDS[settings["backend"]], load_on_cpu)


if __name__ == "__main__":
    serve(make)
