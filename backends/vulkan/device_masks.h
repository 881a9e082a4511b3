// Masks among the indices of index_put.
#pragma once

#include "backends/vulkan/device_kernel.h"

namespace parallax::vulkan {

// Whether some index of an index_put is a mask, and whether the device takes it: the only index, one dispatch's work.
bool has_mask(const Call& call);
bool takes_masked_put(const Call& call);
Result<void> masked_put(const KernelCall& call);

}  // namespace parallax::vulkan
