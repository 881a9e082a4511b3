#include "core/index_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace parallax {

std::string index_text(const Dims& sizes, int64_t element) {
  std::vector<int64_t> index(static_cast<std::size_t>(sizes.size()));
  for (int dim = sizes.size() - 1; dim >= 0; --dim) {
    index[static_cast<std::size_t>(dim)] = element % sizes[dim];
    element /= sizes[dim];
  }
  return fmt::format("[{}]", fmt::join(index, ", "));
}

}  // namespace parallax
