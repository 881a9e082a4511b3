// Lanes: the rows of elements along one dim, for kernels that order, compare or accumulate them.
#pragma once

#include <optional>

#include "backends/portable/kernel.h"

namespace parallax::portable {

// The layout with that dim behind all others, so that row-major order goes lane by lane. A number is a lane of one.
inline Layout by_lanes(Layout layout, int64_t dim) {
  if (layout.rank() == 0) return {{1}, {0}, layout.offset};
  const int at = wrapped_dim(dim, layout.rank());
  const int64_t size = layout.sizes[at];
  const int64_t stride = layout.strides[at];
  layout.sizes.erase(at);
  layout.strides.erase(at);
  layout.sizes.push_back(size);
  layout.strides.push_back(stride);
  return layout;
}

// The elements of a tensor lane by lane; without a dim it is one lane.
template <class C>
struct Lanes {
  Numbers<C> values;
  std::size_t length = 0;
  std::size_t count = 0;

  std::span<C> operator[](std::size_t lane) { return {values.data() + lane * length, length}; }
};

template <class C>
Lanes<C> read_lanes(const KernelCall& call, const TensorRef& tensor, std::optional<int64_t> dim, DType common) {
  if (!dim) {
    Numbers<C> values = call.read<C>(tensor, *tensor.layout, common);
    const std::size_t length = values.size();
    return {std::move(values), length, 1};
  }
  const Layout layout = by_lanes(*tensor.layout, *dim);
  const auto length = static_cast<std::size_t>(layout.sizes.back());
  const Dims others(std::span(layout.sizes.begin(), layout.sizes.end() - 1));
  return {call.read<C>(tensor, layout, common), length, static_cast<std::size_t>(contiguous_layout(others).numel())};
}

// Puts numbers that go lane by lane along the dim into output k.
template <class C>
void write_lanes(const KernelCall& call, const Numbers<C>& values, int64_t dim, std::size_t k = 0) {
  const TensorRef& output = call.output(k);
  write_elements(output, by_lanes(*output.layout, dim), values.data());
}

// The order of sorts and extremes: NaN is above all numbers, and one NaN is as another.
template <class C>
bool is_below(C a, C b) {
  return a < b || (b != b && a == a);
}

}  // namespace parallax::portable
