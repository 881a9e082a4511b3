"""iree-vulkan: IREE's vulkan-spirv target on the machine's first Vulkan device (lavapipe, where there is no other)."""

from __future__ import annotations

from adapters.iree.pipeline import make_iree, run_module
from adapters.onnx.session import Instance
from adapters.onnx.writer import Written
from adapters.worker.loop import serve

FLAGS = ("--iree-hal-target-backends=vulkan-spirv",)


def load(module: bytes, written: Written) -> Instance:
    return run_module(module, "vulkan", written)


if __name__ == "__main__":
    serve(lambda arguments: make_iree("iree-vulkan", arguments, FLAGS, load))
