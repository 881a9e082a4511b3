#include "core/dims.h"

#include <fmt/format.h>

namespace parallax {

std::string to_string(const Dims& dims) { return fmt::format("{}", fmt::join(dims.begin(), dims.end(), ",")); }

}  // namespace parallax
