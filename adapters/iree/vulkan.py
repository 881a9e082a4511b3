"""iree-vulkan: IREE's vulkan-spirv target on the machine's first Vulkan device (lavapipe, where there is no other)."""

from __future__ import annotations

from adapters.iree.pipeline import make_iree, run_module
from adapters.worker.loop import serve

FLAGS = ("--iree-hal-target-backends=vulkan-spirv",)

if __name__ == "__main__":
    serve(lambda _: make_iree("iree-vulkan", FLAGS, lambda module, written: run_module(module, "vulkan", written)))
