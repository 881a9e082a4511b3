// Windows of a pool over other tensors than its call's.
#pragma once

#include "backends/vulkan/device_kernel.h"

namespace parallax::vulkan {

// Has a max_pool2d or an avg_pool2d read and write these, of one dtype. A call's divisor_override is not looked at.
void record_pool_2d(const KernelCall& call, const Call& pool, const TensorRef& from, const TensorRef& to);

}  // namespace parallax::vulkan
