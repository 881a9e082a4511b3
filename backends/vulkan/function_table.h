// The table of functions (functions.h), one row each.
#pragma once

#include <span>

#include "backends/vulkan/functions.h"

namespace parallax::vulkan {

std::span<const Function> function_table();

}  // namespace parallax::vulkan
