"""tinygrad: its ONNX frontend on the CPU device, compiled by clang (CC, else clang, else the newest of Debian's).

?noopt=yes leaves out the optimizations of kernels (tiling, vectors, unrolling), ?renderer=X86 has tinygrad's own
assembler in clang's place: the controls of a finding. ?jit=yes replays the kernels that TinyJit captured.
"""

from __future__ import annotations

import os
import shutil
from importlib.metadata import version

import numpy as np

from adapters.onnx.session import NUMPY_DTYPES, Instance, Program, copy_of, make_system
from adapters.onnx.writer import Written
from adapters.worker.arrays import Array
from adapters.worker.loop import serve
from adapters.worker.switches import Switch, declared, parse
from adapters.worker.system import Rejection, Stages, System

REJECTIONS = (
    Rejection(
        r"NotImplementedError: op='\w+' is not supported",
        "OnnxRunner of tinygrad.nn.onnx names the operators that it has no function for",
    ),
    Rejection(
        r"JitError: didn't JIT anything!",
        "test_nothing_realized_fails of tinygrad's test_jit_footguns.py: a function that runs no kernel",
    ),
)

CLANGS = ("clang", "clang-21", "clang-20", "clang-19", "clang-18", "clang-17", "clang-16", "clang-15", "clang-14")


SWITCHES = (Switch("noopt", ("no", "yes")), Switch("jit", ("no", "yes")), Switch("renderer", ("CLANG", "X86")))


def make(arguments: list[str]) -> System:
    settings = parse(arguments, SWITCHES)
    # Read when tinygrad is imported, or once. CACHELEVEL=0: no kernels of other runs, out of a database in $HOME.
    os.environ["DEV"] = f"CPU:{settings['renderer']}"
    os.environ["NOOPT"] = str(int(settings["noopt"] == "yes"))
    os.environ["CACHELEVEL"] = "0"
    os.environ["NUM_CPU_THREADS"] = "1"
    if "CC" not in os.environ:
        os.environ["CC"] = next(filter(None, map(shutil.which, CLANGS)), "clang")
    from tinygrad import Tensor, TinyJit
    from tinygrad.nn.onnx import OnnxRunner

    def build(written: Written, stages: Stages) -> Program:
        model = written.graph.serialize()
        names = [value.name for value in written.graph.inputs]
        results = [(value.name, value.dtype) for value in written.graph.outputs]

        def start() -> Instance:
            with stages("lower"):
                runner = OnnxRunner(Tensor(model, device="PYTHON"))

            def evaluate(*tensors: Tensor) -> list[Tensor]:
                found = runner(dict(zip(names, tensors, strict=True)))
                return [found[name].contiguous() for name, _ in results]

            def realize(*tensors: Tensor) -> list[Tensor]:
                outputs = evaluate(*tensors)
                Tensor.realize(*outputs)
                return outputs

            jitted = TinyJit(realize) if settings["jit"] == "yes" else realize

            def run(arrays: list[Array]) -> list[Array]:
                # TinyJit captures in its second call and replays from its third on.
                for _ in range(2 if settings["jit"] == "yes" and not getattr(jitted, "captured", None) else 0):
                    jitted(*(tensor_of(array) for array in arrays))
                outputs = jitted(*(tensor_of(array) for array in arrays))
                return [copy_of(tensor.numpy(), dtype) for tensor, (_, dtype) in zip(outputs, results, strict=True)]

            return run

        return Program(start)

    def tensor_of(array: Array) -> Tensor:
        """In memory of its own: a Tensor of a 0-d array is a constant, which TinyJit takes for no input."""
        return Tensor(np.array(array, order="C")).clone().realize()

    installed = version("tinygrad")
    return make_system(
        "tinygrad",
        installed,
        NUMPY_DTYPES,
        "tinygrad",
        build,
        REJECTIONS,
        {"onnx": version("onnx")},
        more={"switches": declared(SWITCHES)},
    )


if __name__ == "__main__":
    serve(make)
