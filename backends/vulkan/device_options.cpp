#include "backends/vulkan/device_options.h"

#include <charconv>
#include <cstdlib>

namespace parallax::vulkan {

DeviceOptions default_device_options() {
  DeviceOptions options;
  if (const char* device = std::getenv("PARALLAX_VULKAN_DEVICE")) options.context.device = device;
  return options;
}

Result<void> set_device_option(std::string_view name, const std::string& value, DeviceOptions& options) {
  if (name == "device") {
    options.context.device = value;
  } else if (name == "barriers") {
    if (value != "minimal" && value != "full") return fail("barriers are minimal or full");
    options.rules.barriers = value == "full" ? BarrierMode::Full : BarrierMode::Minimal;
  } else if (name == "validate") {
    if (value != "yes" && value != "no") return fail("validate is yes or no");
    options.context.validate = value == "yes";
  } else {
    uint32_t& size = options.rules.workgroup;
    const auto parsed = std::from_chars(value.data(), value.data() + value.size(), size);
    if (parsed.ec != std::errc() || parsed.ptr != value.data() + value.size() || size == 0) {
      return fail("workgroup is a number of invocations, and '{}' is none", value);
    }
  }
  return {};
}

}  // namespace parallax::vulkan
