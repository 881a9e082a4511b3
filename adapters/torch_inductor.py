"""torch-inductor: torch.compile with its default backend, which writes C++."""

from __future__ import annotations

from torch_compile import make_system
from worker import serve

if __name__ == "__main__":
    profile = {"extends": "torch-compile", "promises_identity": True}
    serve(lambda _: make_system("torch-inductor", ("eager", "aot_eager", "inductor"), profile))
