"""executorch-openvino: ExecuTorch with OpenVINO's partitioner; OpenVINO's CPU plugin compiles what it takes when the
program is loaded, and what it leaves out runs on the portable kernels.
"""

from __future__ import annotations

from executorch.backends.openvino.partitioner import OpenvinoPartitioner
from executorch.exir.backend.backend_details import CompileSpec

from adapters.executorch.pipeline import make_system
from adapters.worker.loop import serve
from adapters.worker.system import System

# The partitioner asks for no dtype. Those that its compile step maps (torchdynamo/compile.py), without f64, which
# OpenVINO's CPU plugin computes in f32, as its guide says.
DTYPES = ("bool", "u8", "i8", "i32", "i64", "f16", "f32")


class CpuPartitioner(OpenvinoPartitioner):
    """The partitioner for the plugin that needs no device."""

    def __init__(self) -> None:
        super().__init__([CompileSpec("device", b"CPU")])


def make(arguments: list[str]) -> System:
    where = f"{__name__}:{CpuPartitioner.__name__}"
    return make_system("executorch-openvino", arguments, where, dtypes=DTYPES)


if __name__ == "__main__":
    serve(make)
