// Layout: how a tensor's logical indices map to elements of a storage (sizes, strides, offset).
//
// Strides and offset count elements of the tensor's own dtype, as in PyTorch.
#pragma once

#include <cstdint>
#include <optional>

#include "core/dims.h"

namespace parallax {

struct Layout {
  Dims sizes;
  Dims strides;
  int64_t offset = 0;

  int rank() const { return sizes.size(); }
  // Number of logical elements; 1 for rank 0. Readers have checked that it does not overflow.
  int64_t numel() const;
  // One past the highest element touched, from the start of the storage; `offset` when there are no elements.
  int64_t extent() const;

  friend bool operator==(const Layout&, const Layout&) = default;
};

// Row-major strides of `sizes`; a zero-size dim counts as one, as in PyTorch.
Dims contiguous_strides(const Dims& sizes);
// Row-major at offset 0.
Layout contiguous_layout(const Dims& sizes);

// The product of the sizes, or nothing where a size is negative or the product passes 2^62.
std::optional<int64_t> checked_numel(std::span<const int64_t> sizes);

// Whether the strides are row-major; strides of size-1 dims do not matter, an empty tensor always is.
bool is_contiguous(const Layout& layout);
// Whether the elements fill one unbroken block, in any order of dims, without overlap.
bool is_dense(const Layout& layout);
// Whether each logical index lies in one place in both; strides of size-1 dims do not matter.
bool same_places(const Layout& a, const Layout& b);
// Whether two logical indices are known to reach one element because a dim over 1 has stride 0 (an expanded tensor).
// This is the test that eager makes before it refuses an in-place write.
bool is_expanded(const Layout& layout);
// Whether any two logical indices reach one element; exact, by enumeration for small tensors.
bool overlaps_itself(const Layout& layout);

// The layout broadcast to `sizes` (added and repeated dims get stride 0), or nothing if it does not fit.
std::optional<Layout> broadcast_to(const Layout& layout, const Dims& sizes);
// NumPy's rule for two shapes, or nothing if they do not fit.
std::optional<Dims> broadcast_sizes(const Dims& a, const Dims& b);
// Strides under which `layout` seen as `sizes` is a view, or nothing if it needs a copy (ATen's computeStride).
std::optional<Dims> view_strides(const Layout& layout, const Dims& sizes);

// Calls `visit(element)` with the storage element of each logical index, in row-major order.
template <class Visit>
void for_each_element(const Layout& layout, Visit&& visit) {
  const int rank = layout.rank();
  if (rank == 0) return visit(layout.offset);
  for (int64_t size : layout.sizes) {
    if (size == 0) return;
  }
  Dims index = Dims::filled(rank, 0);
  int64_t element = layout.offset;
  const int64_t inner_size = layout.sizes[rank - 1];
  const int64_t inner_stride = layout.strides[rank - 1];
  while (true) {
    for (int64_t i = 0; i < inner_size; ++i) visit(element + i * inner_stride);
    int dim = rank - 2;
    for (; dim >= 0; --dim) {
      element += layout.strides[dim];
      if (++index[dim] < layout.sizes[dim]) break;
      element -= layout.strides[dim] * layout.sizes[dim];
      index[dim] = 0;
    }
    if (dim < 0) return;
  }
}

}  // namespace parallax
