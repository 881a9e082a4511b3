// Grouped digits: a count as people write it.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace parallax {

// "7,591".
inline std::string grouped_digits(int64_t count) {
  std::string text = fmt::format("{}", count);
  const std::size_t sign = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = text.size(); at > sign + 3;) text.insert(at -= 3, ",");
  return text;
}

// "1 case", "7,591 cases"; `plural` where it is not the noun with an s.
inline std::string counted(int64_t count, const std::string& noun, const std::string& plural = "") {
  return grouped_digits(count) + " " + (count == 1 ? noun : plural.empty() ? noun + "s" : plural);
}

}  // namespace parallax
