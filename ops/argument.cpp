#include "ops/argument.h"

#include <array>

namespace parallax {
namespace {
constexpr std::array<std::string_view, 4> names = {"contiguous_format", "preserve_format", "channels_last",
                                                   "channels_last_3d"};
}

std::string_view name(MemoryFormat format) { return names[static_cast<std::size_t>(format)]; }

std::optional<MemoryFormat> parse_memory_format(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<MemoryFormat>(i);
  }
  return std::nullopt;
}

}  // namespace parallax
