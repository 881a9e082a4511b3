// Recorder: what the kernels of a partition write down: dispatches, and the words of metadata that they read.
#pragma once

#include "backends/portable/elements.h"
#include "backends/vulkan/commands.h"

namespace parallax::vulkan {

using portable::TensorRef;

// Elements of a tensor in a buffer: the bytes from the lowest to the highest, and the layout counted from the first.
struct BoundTensor {
  BufferRange range;
  DType dtype = DType::F32;
  Layout layout;
};

class Recorder {
 public:
  Recorder(const Context& context, Heap& heap, const DeviceRules& rules)
      : context_(&context), heap_(&heap), rules_(&rules) {}

  const DeviceRules& rules() const { return *rules_; }
  const DeviceLimits& limits() const { return context_->limits(); }

  // The elements of `layout` over the tensor's storage. There must be some.
  BoundTensor bind(const TensorRef& tensor, const Layout& layout) const;

  // The number of the next word.
  uint32_t next_word() const { return static_cast<uint32_t>(metadata_.size()); }
  void word(int64_t value) { metadata_.push_back(static_cast<uint32_t>(value)); }
  void number(uint64_t bits) {
    metadata_.push_back(static_cast<uint32_t>(bits));
    metadata_.push_back(static_cast<uint32_t>(bits >> 32));
  }

  void add(Dispatch dispatch) { dispatches_.push_back(std::move(dispatch)); }

  // Memory that lives as long as the recorder: for what a group keeps to itself where it is no single program.
  Result<std::byte*> scratch(int64_t bytes);

  std::span<const Dispatch> dispatches() const { return dispatches_; }
  std::span<const uint32_t> metadata() const { return metadata_; }

 private:
  const Context* context_;
  Heap* heap_;
  const DeviceRules* rules_;
  std::vector<Dispatch> dispatches_;
  std::vector<uint32_t> metadata_;
  std::vector<std::shared_ptr<std::byte[]>> scratch_;
};

}  // namespace parallax::vulkan
