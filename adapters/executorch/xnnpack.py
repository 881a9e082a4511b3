"""executorch-xnnpack: ExecuTorch with XNNPACK's partitioner; what it leaves out runs on the portable kernels."""

from __future__ import annotations

from executorch.backends.xnnpack.partition.config import ALL_PARTITIONER_CONFIGS

from adapters.executorch.pipeline import delegates_of, make_system
from adapters.worker.loop import serve
from adapters.worker.system import System

PARTITIONER = "executorch.backends.xnnpack.partition.xnnpack_partitioner:XnnpackPartitioner"


def make(arguments: list[str]) -> System:
    listed = {config.target_name for config in ALL_PARTITIONER_CONFIGS if isinstance(config.target_name, str)}
    delegates = delegates_of(listed, ["f16", "f32"])
    return make_system("executorch-xnnpack", arguments, PARTITIONER, delegates=delegates, profile="executorch-xnnpack")


if __name__ == "__main__":
    serve(make)
