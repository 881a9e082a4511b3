// The backend "vulkan": which nodes the device takes, and what is promised of their arithmetic.
#pragma once

#include "backends/delegate.h"
#include "backends/vulkan/context.h"

namespace parallax::vulkan {

// For programs that run on that device.
const DelegateSet& delegates(const Context& context);

}  // namespace parallax::vulkan
