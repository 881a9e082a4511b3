"""iree-vulkan: IREE's vulkan-spirv target on the machine's first Vulkan device (lavapipe, where there is no other)."""

from __future__ import annotations

from adapters.iree.pipeline import make_iree, run_module
from adapters.onnx.session import Instance
from adapters.onnx.writer import Written
from adapters.worker.loop import serve
from adapters.worker.switches import parse
from adapters.worker.system import System

FLAGS = ("--iree-hal-target-backends=vulkan-spirv",)


def load(module: bytes, written: Written) -> Instance:
    return run_module(module, "vulkan", written)


def make(arguments: list[str]) -> System:
    parse(arguments, ())
    return make_iree("iree-vulkan", FLAGS, load)


if __name__ == "__main__":
    serve(make)
