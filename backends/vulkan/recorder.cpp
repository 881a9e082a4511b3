#include "backends/vulkan/recorder.h"

namespace parallax::vulkan {

BoundTensor Recorder::bind(const TensorRef& tensor, const Layout& layout) const {
  int64_t lowest = layout.offset;
  int64_t highest = layout.offset;
  for (int dim = 0; dim < layout.rank(); ++dim) {
    const int64_t reach = (layout.sizes[dim] - 1) * layout.strides[dim];
    (reach < 0 ? lowest : highest) += reach;
  }
  const int64_t size = size_of(tensor.dtype);
  const auto found = heap_->find(tensor.storage + lowest * size, (highest - lowest + 1) * size);
  PARALLAX_CHECK(found.has_value());
  BoundTensor bound{*found, tensor.dtype, layout};
  // A binding begins where the device allows it to, and ends with a whole word, which is how elements are read.
  const uint64_t begin = found->offset / limits().offset_alignment * limits().offset_alignment;
  bound.range.size = (found->end() + 3) / 4 * 4 - begin;
  bound.range.offset = begin;
  bound.layout.offset = layout.offset - lowest + static_cast<int64_t>(found->offset - begin) / size;
  return bound;
}

Result<std::byte*> Recorder::scratch(int64_t bytes) {
  TRY(std::shared_ptr<std::byte[]> memory, heap_->allocate(bytes));
  scratch_.push_back(std::move(memory));
  return scratch_.back().get();
}

}  // namespace parallax::vulkan
