#include "backends/vulkan/device_options.h"

#include <cstdlib>
#include <limits>

#include "backends/option_number.h"

namespace parallax::vulkan {

namespace {

Result<uint32_t> invocations(std::string_view name, const std::string& value) {
  TRY(const int64_t number, positive_number(name, value, std::numeric_limits<uint32_t>::max()));
  return static_cast<uint32_t>(number);
}

}  // namespace

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
  } else if (name == "fail") {
    TRY(options.context.fails, failure_called(value));
  } else if (name == "groups") {
    TRY(options.rules.groups, invocations(name, value));
  } else {
    options.draws_workgroups = value == "random";
    if (options.draws_workgroups) return {};
    TRY(options.rules.workgroup, invocations(name, value));
  }
  return {};
}

}  // namespace parallax::vulkan
