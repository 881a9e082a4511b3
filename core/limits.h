// Limits: the two numbers that are no finite double, by the names that formulas give them.
#pragma once

#include <limits>

namespace parallax {

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace parallax
