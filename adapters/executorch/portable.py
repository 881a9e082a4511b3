"""executorch-portable: ExecuTorch with no partitioner, so that its portable kernels run everything."""

from __future__ import annotations

from adapters.executorch.pipeline import make_system
from adapters.worker.loop import serve

if __name__ == "__main__":
    serve(lambda arguments: make_system("executorch-portable", arguments))
