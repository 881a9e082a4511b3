"""ncnn-vulkan: its Vulkan layers on the first Vulkan device (lavapipe, where there is no other)."""

from __future__ import annotations

from adapters.ncnn.pipeline import make_ncnn
from adapters.worker.loop import serve

if __name__ == "__main__":
    serve(lambda arguments: make_ncnn("ncnn-vulkan", arguments, vulkan=True))
