// Windows: how pools and convolutions see up to three spatial dims, the last ones of a tensor. Fewer are counted as
// three with leading ones.
#pragma once

#include <array>

#include "backends/portable/kernel.h"

namespace parallax::portable {

inline constexpr int most_spatial_dims = 3;
using Space = std::array<int64_t, most_spatial_dims>;

inline int64_t positions(const Space& space) { return space[0] * space[1] * space[2]; }

// The last `count` sizes.
inline Space spatial_sizes(const Dims& sizes, int count) {
  Space space = {1, 1, 1};
  for (int i = 1; i <= count; ++i) space[static_cast<std::size_t>(most_spatial_dims - i)] = sizes[sizes.size() - i];
  return space;
}

// Numbers that an argument gives for `count` dims: one each, or one for all.
inline Space spatial_numbers(const IntList& numbers, int count, int64_t otherwise) {
  Space space = {otherwise, otherwise, otherwise};
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    space[static_cast<std::size_t>(most_spatial_dims - count + i)] = numbers.size() == 1 ? numbers[0] : numbers[at];
  }
  return space;
}

}  // namespace parallax::portable
