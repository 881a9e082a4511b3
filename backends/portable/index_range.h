// What eager says of an index that lies beyond the dim it is for.
#pragma once

#include <cstdint>

#include "core/result.h"

namespace parallax::portable {

inline std::unexpected<Error> out_of_range(int64_t index, int64_t size) {
  return refuse("index {} is out of range for a dim of size {}", index, size);
}

}  // namespace parallax::portable
