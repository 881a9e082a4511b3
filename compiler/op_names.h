// Lists of ops by their names, which a rule is for.
#pragma once

#include <algorithm>
#include <span>
#include <string_view>

namespace parallax {

// Whether the name is in the list.
inline bool one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace parallax
