"""executorch-vulkan: ExecuTorch's lowering to its Vulkan delegate. The wheel has no runtime for it, so that is all."""

from __future__ import annotations

from executorch_path import make_system
from worker import serve

PARTITIONER = "executorch.backends.vulkan.partitioner.vulkan_partitioner:VulkanPartitioner"

if __name__ == "__main__":
    serve(lambda arguments: make_system("executorch-vulkan", arguments, PARTITIONER, run=None))
