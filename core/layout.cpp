#include "core/layout.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

namespace parallax {

int64_t Layout::numel() const { return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>()); }

int64_t Layout::extent() const {
  int64_t last = offset;
  for (int i = 0; i < rank(); ++i) {
    if (sizes[i] == 0) return offset;
    if (strides[i] > 0) last += (sizes[i] - 1) * strides[i];
  }
  return last + 1;
}

Dims contiguous_strides(const Dims& sizes) {
  Dims strides = Dims::filled(sizes.size(), 1);
  for (int i = sizes.size() - 2; i >= 0; --i) strides[i] = strides[i + 1] * std::max<int64_t>(sizes[i + 1], 1);
  return strides;
}

Layout contiguous_layout(const Dims& sizes) { return {sizes, contiguous_strides(sizes), 0}; }

std::optional<int64_t> checked_numel(std::span<const int64_t> sizes) {
  // The limit holds for the non-zero sizes, so that strides of an empty tensor cannot overflow either.
  int64_t product = 1;
  bool empty = false;
  for (int64_t size : sizes) {
    if (size < 0) return std::nullopt;
    if (size == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(product, size, &product) || product > (int64_t{1} << 62)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : product;
}

bool is_contiguous(const Layout& layout) {
  int64_t expected = 1;
  bool matches = true;
  for (int i = layout.rank() - 1; i >= 0; --i) {
    if (layout.sizes[i] == 0) return true;
    if (layout.sizes[i] == 1) continue;
    matches = matches && layout.strides[i] == expected;
    expected *= layout.sizes[i];
  }
  return matches;
}

namespace {

// The dims of a size other than one, from the smallest stride to the largest.
Layout sorted_by_stride(const Layout& layout) {
  Layout sorted;
  // From the last dim on: mostly they come in order.
  for (int i = layout.rank() - 1; i >= 0; --i) {
    if (layout.sizes[i] == 1) continue;
    int place = sorted.rank();
    while (place > 0 && sorted.strides[place - 1] > layout.strides[i]) --place;
    sorted.sizes.insert(place, layout.sizes[i]);
    sorted.strides.insert(place, layout.strides[i]);
  }
  return sorted;
}

}  // namespace

bool is_dense(const Layout& layout) {
  if (layout.numel() < 2 || is_contiguous(layout)) return true;
  const Layout sorted = sorted_by_stride(layout);
  int64_t expected = 1;
  for (int i = 0; i < sorted.rank(); ++i) {
    if (sorted.strides[i] != expected) return false;
    expected *= sorted.sizes[i];
  }
  return true;
}

bool same_places(const Layout& a, const Layout& b) {
  if (a.sizes != b.sizes) return false;
  if (a.numel() == 0) return true;
  for (int i = 0; i < a.rank(); ++i) {
    if (a.sizes[i] > 1 && a.strides[i] != b.strides[i]) return false;
  }
  return a.offset == b.offset;
}

bool is_expanded(const Layout& layout) {
  if (layout.numel() == 0) return false;
  for (int i = 0; i < layout.rank(); ++i) {
    if (layout.sizes[i] > 1 && layout.strides[i] == 0) return true;
  }
  return false;
}

bool overlaps_itself(const Layout& layout) {
  if (layout.numel() < 2 || is_contiguous(layout)) return false;
  if (is_expanded(layout)) return true;
  // Enough, and nearly always so: each stride passes everything the smaller strides can reach.
  const Layout sorted = sorted_by_stride(layout);
  int64_t reach = 0;
  bool nested = true;
  for (int i = 0; i < sorted.rank(); ++i) {
    nested = nested && sorted.strides[i] > reach;
    reach += sorted.strides[i] * (sorted.sizes[i] - 1);
  }
  if (nested) return false;
  std::vector<int64_t> elements;
  for_each_element(layout, [&](int64_t element) { elements.push_back(element); });
  std::sort(elements.begin(), elements.end());
  return std::adjacent_find(elements.begin(), elements.end()) != elements.end();
}

std::optional<Layout> broadcast_to(const Layout& layout, const Dims& sizes) {
  const int added = sizes.size() - layout.rank();
  if (added < 0) return std::nullopt;
  Layout result{sizes, Dims::filled(sizes.size(), 0), layout.offset};
  for (int i = 0; i < layout.rank(); ++i) {
    if (layout.sizes[i] == sizes[added + i]) {
      result.strides[added + i] = layout.strides[i];
    } else if (layout.sizes[i] != 1) {
      return std::nullopt;
    }
  }
  return result;
}

std::optional<Dims> broadcast_sizes(const Dims& a, const Dims& b) {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims result = longer;
  const int added = longer.size() - shorter.size();
  for (int i = 0; i < shorter.size(); ++i) {
    if (shorter[i] == longer[added + i] || shorter[i] == 1) continue;
    if (longer[added + i] != 1) return std::nullopt;
    result[added + i] = shorter[i];
  }
  return result;
}

std::optional<Dims> view_strides(const Layout& layout, const Dims& sizes) {
  const Dims& old_sizes = layout.sizes;
  const Dims& old_strides = layout.strides;
  if (layout.numel() == 0) {
    // ATen keeps the strides of an unchanged empty shape and gives row-major ones to a new shape.
    return old_sizes == sizes ? old_strides : contiguous_strides(sizes);
  }
  Dims strides = Dims::filled(sizes.size(), 1);
  int view_dim = sizes.size() - 1;
  int64_t base_stride = old_strides.empty() ? 1 : old_strides.back();
  int64_t chunk = 1;
  int64_t view_chunk = 1;
  for (int dim = old_sizes.size() - 1; dim >= 0; --dim) {
    chunk *= old_sizes[dim];
    const bool chunk_ends = dim == 0 || (old_sizes[dim - 1] != 1 && old_strides[dim - 1] != chunk * base_stride);
    if (!chunk_ends) continue;
    while (view_dim >= 0 && (view_chunk < chunk || sizes[view_dim] == 1)) {
      strides[view_dim] = view_chunk * base_stride;
      view_chunk *= sizes[view_dim];
      --view_dim;
    }
    if (view_chunk != chunk) return std::nullopt;
    if (dim > 0) {
      base_stride = old_strides[dim - 1];
      chunk = 1;
      view_chunk = 1;
    }
  }
  if (view_dim != -1 && !old_sizes.empty()) return std::nullopt;
  return strides;
}

}  // namespace parallax
