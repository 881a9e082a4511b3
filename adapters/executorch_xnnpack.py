"""executorch-xnnpack: ExecuTorch with XNNPACK's partitioner; what it leaves out runs on the portable kernels."""

from __future__ import annotations

from executorch_path import make_system
from worker import serve

PARTITIONER = "executorch.backends.xnnpack.partition.xnnpack_partitioner:XnnpackPartitioner"

if __name__ == "__main__":
    serve(lambda arguments: make_system("executorch-xnnpack", arguments, PARTITIONER))
