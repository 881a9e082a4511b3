"""executorch-vulkan: ExecuTorch's lowering to its Vulkan delegate. The wheel has no runtime for it, so that is all."""

from __future__ import annotations

from executorch.backends.vulkan.op_registry import vulkan_supported_ops

from adapters.executorch.pipeline import delegates_of, make_system
from adapters.worker.loop import serve
from adapters.worker.system import System

PARTITIONER = "executorch.backends.vulkan.partitioner.vulkan_partitioner:VulkanPartitioner"


def make(arguments: list[str]) -> System:
    delegates = delegates_of(vulkan_supported_ops, ["f16", "f32"])
    return make_system("executorch-vulkan", arguments, PARTITIONER, run=None, delegates=delegates)


if __name__ == "__main__":
    serve(make)
