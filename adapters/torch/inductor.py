"""torch-inductor: torch.compile with its default backend, which writes C++."""

from __future__ import annotations

from adapters.torch.compile import make_system
from adapters.worker.loop import serve

PROFILE = {"name": "torch-inductor", "extends": "torch-compile"}

if __name__ == "__main__":
    serve(lambda arguments: make_system("torch-inductor", ("eager", "aot_eager", "inductor"), PROFILE, arguments))
