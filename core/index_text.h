// Index text: the place of an element in its tensor, as people write it.
#pragma once

#include <cstdint>
#include <string>

#include "core/dims.h"

namespace parallax {

// "[1, 0]": of the element with that number, in row-major order.
std::string index_text(const Dims& sizes, int64_t element);

}  // namespace parallax
