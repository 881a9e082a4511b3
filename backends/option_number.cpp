#include "backends/option_number.h"

#include <charconv>

namespace parallax {

Result<int64_t> positive_number(std::string_view name, const std::string& value, int64_t most) {
  int64_t number = 0;
  const char* end = value.data() + value.size();
  const auto parsed = std::from_chars(value.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < 1 || number > most) {
    return fail("{} is a whole number from 1 to {}, and '{}' is none", name, most, value);
  }
  return number;
}

}  // namespace parallax
