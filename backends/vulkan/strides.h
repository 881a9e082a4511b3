// Strides: dims that several tensors step through together, as metadata wants them.
#pragma once

#include <span>

#include "core/layout.h"

namespace parallax::vulkan {

// Takes dims of one element away, and makes one of neighbours that all of `strides` (of as many dims) step through as
// one. The order of elements stays.
inline void merge_dims(Dims& sizes, std::span<Dims* const> strides) {
  for (int dim = sizes.size() - 1; dim >= 0; --dim) {
    const bool single = sizes[dim] == 1;
    bool merges = dim + 1 < sizes.size();
    for (const Dims* tensor : strides) {
      merges = merges && (*tensor)[dim] == (*tensor)[dim + 1] * sizes[dim + 1];
    }
    if (!single && !merges) continue;
    if (!single) sizes[dim + 1] *= sizes[dim];
    sizes.erase(dim);
    for (Dims* tensor : strides) tensor->erase(dim);
  }
}

}  // namespace parallax::vulkan
