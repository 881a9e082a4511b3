"""executorch-openvino: ExecuTorch with OpenVINO's partitioner; OpenVINO's CPU plugin compiles what it takes when the
program is loaded, and what it leaves out runs on the portable kernels.
"""

from __future__ import annotations

from executorch.backends.openvino.partitioner import OpenvinoPartitioner
from executorch.exir.backend.backend_details import CompileSpec
from openvino.frontend.pytorch.torchdynamo.op_support import OperatorSupport

from adapters.executorch.pipeline import delegates_of, make_system
from adapters.worker.loop import serve
from adapters.worker.system import Rejection, System

# The partitioner asks for no dtype. Those that its compile step maps (torchdynamo/compile.py), without f64, which
# OpenVINO's CPU plugin computes in f32, as its guide says.
DTYPES = ("bool", "u8", "i8", "i32", "i64", "f16", "f32")

# The partitioner asks for the name of a call alone, and takes what OpenVINO has no arithmetic or no translation for.
REJECTIONS = (
    Rejection(
        r"does not support inputs? with element type: \w+",
        "OpenVINO's operation set: the element types that an operation takes, the one that it got is named",
        stage="lower",
    ),
    Rejection(
        r"\[PyTorch Frontend\] (Unexpected value of (correction|input_scale input for elu operation)"
        r"|aten::as_strided: Couldn't retrieve input stride information)",
        "src/frontends/pytorch/src/op of OpenVINO: var_mean.cpp, elu.cpp and as_strided.cpp have no translation",
        stage="lower",
    ),
    Rejection(
        r"Attribute 'min' must be less or equal than 'max'",
        "OpenVINO's specification of Clamp: its bounds",
        stage="lower",
    ),
    Rejection(
        r"\[PyTorch Frontend\] [^\n]*\b((do|does|is|are) not support(ed)?|[Uu]nsupported)\b",
        "OpenVINO's PyTorch frontend names the argument that it has no translation for",
        stage="lower",
    ),
)


class CpuPartitioner(OpenvinoPartitioner):
    """The partitioner for the plugin that needs no device."""

    def __init__(self) -> None:
        super().__init__([CompileSpec("device", b"CPU")])


def make(arguments: list[str]) -> System:
    where = f"{__name__}:{CpuPartitioner.__name__}"
    listed = (name.removeprefix("torch.ops.") for name in OperatorSupport([])._support_dict)
    return make_system(
        "executorch-openvino",
        arguments,
        where,
        delegates=delegates_of(listed, ["f16", "f32"]),
        profile="executorch-openvino",
        rejections=REJECTIONS,
        dtypes=DTYPES,
    )


if __name__ == "__main__":
    serve(make)
