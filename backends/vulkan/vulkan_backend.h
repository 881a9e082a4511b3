// The backend "vulkan": which nodes the device takes, and what is promised of their arithmetic.
#pragma once

#include "backends/delegate.h"
#include "backends/runtime/own_backend.h"
#include "backends/vulkan/context.h"

namespace parallax::vulkan {

// For programs that run on that device.
const DelegateSet& delegates(const Context& context);

// The target "vulkan". Its options are those of device_options.h.
extern const OwnBackend own_backend;

}  // namespace parallax::vulkan
