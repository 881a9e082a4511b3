#include "graph/layout_json.h"

#include <algorithm>
#include <unordered_map>

namespace parallax {
namespace {

// Bounded, so that no sum of size * stride overflows.
Result<int64_t> read_extent(const Field& field) {
  TRY(int64_t x, field.integer());
  if (x < 0) return field.fail("{} is negative", x);
  if (x > max_tensor_elements) return field.fail("{} is over {} elements", x, max_tensor_elements);
  return x;
}

}  // namespace

Result<Layout> read_layout(const Field& entry, const Dims& sizes) {
  Layout layout = contiguous_layout(sizes);
  if (const auto strides = entry.find("strides")) {
    TRY_VOID(strides->expect_array());
    if (strides->json().size() != static_cast<std::size_t>(sizes.size())) {
      return strides->fail("{} strides for {} dims", strides->json().size(), sizes.size());
    }
    for (int i = 0; i < sizes.size(); ++i) {
      TRY(layout.strides[i], read_extent(strides->element(static_cast<std::size_t>(i))));
    }
  }
  if (const auto offset = entry.find("offset")) {
    TRY(layout.offset, read_extent(*offset));
  }
  return layout;
}

Result<Tensor> read_placed_tensor(const Field& data, const TensorType& type, const Layout& layout) {
  TRY(Tensor tensor, read_tensor(data, type));
  if (!overlaps_itself(layout)) return tensor;
  std::unordered_map<int64_t, int64_t> first_index;  // by storage element
  const auto size = static_cast<std::ptrdiff_t>(size_of(type.dtype));
  int64_t index = 0;
  int64_t clash = -1;
  for_each_element(layout, [&](int64_t element) {
    const int64_t first = first_index.emplace(element, index).first->second;
    if (clash < 0 && !std::equal(tensor.at(index), tensor.at(index) + size, tensor.at(first))) clash = index;
    ++index;
  });
  if (clash >= 0) {
    return data.fail("element {} lies on the same memory as an earlier one but differs from it", clash);
  }
  return tensor;
}

}  // namespace parallax
