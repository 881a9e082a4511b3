"""ncnn: its layers on the CPU. --packing=off keeps what it calls elempack at 1."""

from __future__ import annotations

from adapters.ncnn.pipeline import make_ncnn
from adapters.worker.loop import serve

if __name__ == "__main__":
    serve(lambda arguments: make_ncnn("ncnn", arguments, vulkan=False))
