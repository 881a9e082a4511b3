// Options of the target "vulkan", as its name says them:
// vulkan?device=llvmpipe&barriers=full&workgroup=32&validate=yes. groups=N limits the workgroups of one dispatch, and
// workgroup=random draws both by the case; fail=memory and the like have the device fail, to see what comes of it.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "backends/vulkan/vulkan_device.h"

namespace parallax::vulkan {

inline constexpr std::array<std::string_view, 6> device_option_names = {"device", "barriers", "workgroup",
                                                                        "groups", "validate", "fail"};

// What the environment says: PARALLAX_VULKAN_DEVICE.
DeviceOptions default_device_options();

// Sets the option of that name.
Result<void> set_device_option(std::string_view name, const std::string& value, DeviceOptions& options);

}  // namespace parallax::vulkan
