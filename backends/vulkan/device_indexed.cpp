#include "backends/vulkan/device_indexed.h"

namespace parallax::vulkan {
namespace {

const ShaderSource indexed_source = {"indexed", [] { return std::string(shader_text("indexed")); }};

// Whether places that are named twice get both: then one invocation does all, in order.
constexpr bool combines(Direction direction) { return direction >= Direction::Adds; }

}  // namespace

// Everything of the tensor's layout is bound, since nobody knows where indices lead.
void record_indexed(const KernelCall& call, const IndexedMove& move) {
  const int64_t count = contiguous_layout(move.sizes).numel();
  if (count == 0) return;
  Recorder& recorder = call.recorder();
  Dispatch dispatch;
  dispatch.source = &indexed_source;
  dispatch.count = combines(move.direction) ? 1 : static_cast<uint64_t>(count);
  dispatch.raiser = call.node();
  // The offset, in the bound range, of a layout's first element.
  const auto bind = [&](const TensorRef& tensor, const Layout& layout, std::vector<BufferRange>& ranges) {
    const BoundTensor bound = recorder.bind(tensor, *tensor.layout);
    ranges.push_back(bound.range);
    return bound.layout.offset + layout.offset - tensor.layout->offset;
  };
  // Of a tensor without elements nothing is bound: every index is out of its range.
  const bool is_empty = move.from.layout->numel() == 0;
  if (is_empty) dispatch.reads.push_back(recorder.bind(move.to, *move.to.layout).range);
  const int64_t source = is_empty ? 0 : bind(move.from, move.source, dispatch.reads);
  const int64_t target = bind(move.to, move.target, dispatch.writes);
  std::vector<int64_t> offsets;
  for (const Index& index : move.indices) offsets.push_back(bind(index.tensor, index.layout, dispatch.reads));
  dispatch.metadata = recorder.next_word();
  for (int64_t word : {int64_t(move.direction), int64_t(move.from.dtype), int64_t(move.to.dtype), source, target,
                       int64_t(move.indices.size()), int64_t(move.sizes.size())}) {
    recorder.word(word);
  }
  for (const Dims* dims : {&move.sizes, &move.source.strides, &move.target.strides}) {
    for (int64_t word : *dims) recorder.word(word);
  }
  for (std::size_t i = 0; i < move.indices.size(); ++i) {
    const Index& index = move.indices[i];
    for (int64_t word : {int64_t(index.tensor.dtype), offsets[i], index.size, index.step, int64_t(index.range)}) {
      recorder.word(word);
    }
    for (int64_t stride : index.layout.strides) recorder.word(stride);
  }
  recorder.add(std::move(dispatch));
}

Layout along(Layout layout, int dim) {
  layout.strides[dim] = 0;
  return layout;
}

Layout at_least_1d(const Layout& layout) { return layout.rank() > 0 ? layout : Layout{{1}, {1}, layout.offset}; }

Result<TensorRef> in_one_row(const KernelCall& call, const TensorRef& tensor, Layout& row) {
  const Layout& layout = *tensor.layout;
  row = {{layout.numel()}, {1}, layout.offset};
  if (is_contiguous(layout)) return TensorRef{tensor.storage, tensor.dtype, &row};
  row.offset = 0;
  TRY(const TensorRef made, call.scratch(tensor.dtype, row));
  call.move(tensor, layout, made, contiguous_layout(layout.sizes));
  return made;
}

}  // namespace parallax::vulkan
