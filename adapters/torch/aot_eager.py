"""torch-aot-eager: torch.compile up to AOTAutograd, whose graphs then run on eager's kernels."""

from __future__ import annotations

from adapters.torch.compile import make_system
from adapters.worker.loop import serve

if __name__ == "__main__":
    serve(lambda arguments: make_system("torch-aot-eager", ("eager", "aot_eager"), "eager", arguments))
