#include "backends/runtime/fused_loop.h"

#include <algorithm>

namespace parallax::runtime {
namespace {

constexpr std::size_t working_bytes = 1 << 13;

}  // namespace

void FusedLoop::add(ValueId value, bool written, const Dims& sizes) {
  if (added_[value.index]) return;
  const TensorMeta& meta = graph_->meta(value);
  // What the group makes for itself alone comes here first where it is made.
  const bool inner = written && (*inner_)[value.index];
  // One element, the same for every block.
  if (!inner && meta.layout.numel() == 1 && meta.layout.sizes != sizes) return;
  added_[value.index] = true;
  operands_.push_back({value, written, inner, meta.layout.numel(), {}});
}

void FusedLoop::begin(const FusedGroup& group, std::span<const TensorRef> tensors) {
  for (const Operand& operand : operands_) added_[operand.value.index] = false;
  operands_.clear();
  const Dims& sizes = graph_->meta(graph_->nodes[group.nodes.first].results.front()).layout.sizes;
  for (std::size_t n = group.nodes.first; n < group.nodes.end; ++n) {
    for (const Argument& argument : graph_->nodes[n].arguments) {
      for_each_value(argument, [&](ValueId value) {
        TensorMeta& seen = metas_[value.index];
        seen = graph_->meta(value);
        // One element keeps no more dims than a block has; that it has some at all is what promotion asks.
        if (seen.layout.rank() > 1) seen.layout = {{1}, {1}, seen.layout.offset};
        refs_[value.index] = {tensors[value.index].storage, seen.dtype, &seen.layout};
        add(value, false, sizes);
      });
    }
    add(graph_->nodes[n].results.front(), true, sizes);
  }
}

void FusedLoop::bind_block(std::span<const TensorRef> tensors, int64_t first, int64_t count) {
  const Layout block = contiguous_layout({count});
  for (Operand& operand : operands_) {
    const TensorMeta& meta = graph_->meta(operand.value);
    const int64_t item = size_of(meta.dtype);
    TensorMeta& seen = metas_[operand.value.index];
    seen = meta;
    seen.layout = block;
    TensorRef& ref = refs_[operand.value.index];
    ref = {nullptr, meta.dtype, &seen.layout};
    const std::byte* elements =
        operand.inner ? nullptr : tensors[operand.value.index].storage + meta.layout.offset * item;
    const bool repeats = !operand.inner && !operand.written && operand.elements <= first + count - 1;
    if (!operand.inner && !repeats) {
      ref.storage = const_cast<std::byte*>(elements) + first * item;
      continue;
    }
    operand.block.resize(static_cast<std::size_t>(block_elements * item));
    ref.storage = operand.block.data();
    for (int64_t i = 0; repeats && i < count; ++i) {
      std::memcpy(ref.storage + i * item, elements + (first + i) % operand.elements * item,
                  static_cast<std::size_t>(item));
    }
  }
}

Result<void> FusedLoop::run(const FusedGroup& group, std::span<const TensorRef> tensors,
                            std::span<const Kernel> kernels) {
  metas_.resize(graph_->metas.size());
  refs_.resize(graph_->metas.size());
  added_.resize(graph_->metas.size(), false);
  begin(group, tensors);
  const int64_t elements = graph_->meta(graph_->nodes[group.nodes.first].results.front()).layout.numel();
  std::array<std::byte, working_bytes> working;
  for (int64_t first = 0; first < elements; first += block_elements) {
    bind_block(tensors, first, std::min(block_elements, elements - first));
    for (std::size_t n = group.nodes.first; n < group.nodes.end; ++n) {
      if (!kernels[n]) continue;  // a planted fault may leave a node nothing to make
      std::pmr::monotonic_buffer_resource scratch(working.data(), working.size());
      const Node& node = graph_->nodes[n];
      const Call call(*node.op, node.arguments, metas_);
      TRY_VOID(kernels[n](portable::KernelCall(call, refs_, node.results, scratch)));
    }
  }
  return {};
}

}  // namespace parallax::runtime
