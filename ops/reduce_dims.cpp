#include "ops/reduce_dims.h"

#include "ops/view_layout.h"

namespace parallax {

DimMask all_dims(int rank) { return DimMask(static_cast<std::size_t>(rank), true); }

Result<DimMask> listed_dims(std::span<const int64_t> dims, int rank) {
  if (dims.empty()) return all_dims(rank);
  TRY(const std::vector<int> wrapped, wrap_dims(dims, rank));
  DimMask mask(static_cast<std::size_t>(rank), false);
  // The one dim that a 0-d tensor is said to have is no dim of the mask.
  for (int dim : wrapped) {
    if (dim < rank) mask[static_cast<std::size_t>(dim)] = true;
  }
  return mask;
}

Dims reduced_sizes(const Dims& sizes, const DimMask& reduced, bool keep) {
  Dims result;
  for (int i = 0; i < sizes.size(); ++i) {
    if (!reduced[static_cast<std::size_t>(i)]) {
      result.push_back(sizes[i]);
    } else if (keep) {
      result.push_back(1);
    }
  }
  return result;
}

int64_t reduced_count(const Dims& sizes, const DimMask& reduced) {
  int64_t count = 1;
  for (int i = 0; i < sizes.size(); ++i) {
    if (reduced[static_cast<std::size_t>(i)]) count *= sizes[i];
  }
  return count;
}

std::vector<int64_t> result_indices(const Dims& sizes, const DimMask& reduced) {
  // The contiguous result seen with the input's shape: it does not move along the reduced dims.
  const Dims kept = contiguous_strides(reduced_sizes(sizes, reduced, true));
  Layout layout{sizes, kept, 0};
  for (int i = 0; i < sizes.size(); ++i) {
    if (reduced[static_cast<std::size_t>(i)]) layout.strides[i] = 0;
  }
  std::vector<int64_t> indices;
  indices.reserve(static_cast<std::size_t>(layout.numel()));
  for_each_element(layout, [&](int64_t index) { indices.push_back(index); });
  return indices;
}

}  // namespace parallax
