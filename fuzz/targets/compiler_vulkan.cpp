// Our own compiler with partitions for Vulkan.
#include "fuzz/targets/shared/entry.h"

std::string parallax::fuzzed_target() { return "vulkan"; }
