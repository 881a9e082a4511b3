// Numbers that the options of a target's name hold.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/result.h"

namespace parallax {

// The value of the option `name` as a whole number from 1 to `most`; an error that names both where it is none.
Result<int64_t> positive_number(std::string_view name, const std::string& value,
                                int64_t most = std::numeric_limits<int64_t>::max());

}  // namespace parallax
