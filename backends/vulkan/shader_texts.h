// The texts of backends/vulkan/shaders, which the program carries along, and what they share with the host.
#pragma once

#include <cstdint>
#include <string_view>

namespace parallax::vulkan {

// The text of shaders/<name>.glsl. The name of a file that is not there is our bug.
std::string_view shader_text(std::string_view name);

// Of shaders/interface.glsl: the push constants.
struct PushConstants {
  uint32_t metadata = 0;  // word of the metadata where those of the dispatch begin
  uint32_t first = 0;     // invocation: a dispatch over the device's limit is split
  uint32_t count = 0;     // invocations in all that do something
};
inline constexpr uint32_t push_constant_bytes = sizeof(PushConstants);
// Words of a status, all zero until a kernel raises: what it raised, and two 64-bit numbers.
inline constexpr uint32_t status_words = 5;

}  // namespace parallax::vulkan
