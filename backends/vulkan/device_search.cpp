// Where numbers would stand in sorted rows.
#include "backends/vulkan/device_kernel.h"
#include "ops/elementwise.h"

namespace parallax::vulkan {
namespace {

const ShaderSource search_source = {
    "search", [] { return std::string(shader_text("ranks")) + std::string(shader_text("search")); }};

// searchsorted and bucketize, which calls the sorted row its boundaries.
Result<void> search(const KernelCall& call) {
  const TensorRef& output = call.output();
  const Layout& to = *output.layout;
  if (to.numel() == 0) return {};
  Recorder& recorder = call.recorder();
  const arg sorted = call.takes(arg::boundaries) ? arg::boundaries : arg::sorted_sequence;
  const TensorRef& rows = call.input(sorted);
  const DType dtype = result_type(call, {sorted, arg::self});
  const bool passes = call.has(arg::side) ? call.text(arg::side) == "right" : call.boolean(arg::right);
  TensorRef numbers;
  if (const auto* number = std::get_if<Scalar>(&call.argument(arg::self))) {
    TRY(numbers, call.scratch(dtype, *number));
  } else {
    numbers = call.input(arg::self);
  }
  std::optional<TensorRef> sorter;
  if (call.has(arg::sorter)) sorter = call.input(arg::sorter);
  Dispatch dispatch;
  dispatch.source = &search_source;
  dispatch.count = static_cast<uint64_t>(to.numel());
  dispatch.raiser = call.node();
  const auto bind = [&](const TensorRef& tensor) {
    // A row of no elements is never read.
    const TensorRef& there = tensor.layout->numel() > 0 ? tensor : numbers;
    const BoundTensor bound = recorder.bind(there, *there.layout);
    dispatch.reads.push_back(bound.range);
    return bound.layout.offset;
  };
  const int64_t rows_at = bind(rows);
  const int64_t numbers_at = bind(numbers);
  const int64_t sorter_at = sorter ? bind(*sorter) : 0;
  const BoundTensor bound = recorder.bind(output, to);
  dispatch.writes = {bound.range};
  const int last = rows.layout->rank() - 1;
  dispatch.metadata = recorder.next_word();
  for (int64_t word :
       {int64_t{passes}, int64_t(dtype), int64_t(rows.dtype), int64_t(numbers.dtype), int64_t(output.dtype),
        int64_t{sorter.has_value()}, rows_at, numbers_at, sorter_at, bound.layout.offset, rows.layout->sizes[last],
        rows.layout->strides[last], sorter ? sorter->layout->strides[last] : 0, int64_t{to.rank()}}) {
    recorder.word(word);
  }
  for (int d = 0; d < to.rank(); ++d) {
    // One row for all numbers, or one for each row of them.
    const bool steps = last > 0 && d < last;
    for (int64_t word : {to.sizes[d], steps ? rows.layout->strides[d] : 0, numbers.layout->strides[d],
                         steps && sorter ? sorter->layout->strides[d] : 0, bound.layout.strides[d]}) {
      recorder.word(word);
    }
  }
  recorder.add(std::move(dispatch));
  return {};
}

constexpr std::array search_table = {
    KernelRow{"aten.searchsorted.Tensor", takes_any, search},
    KernelRow{"aten.searchsorted.Scalar", takes_any, search},
    KernelRow{"aten.bucketize.Tensor", takes_any, search},
    KernelRow{"aten.bucketize.Scalar", takes_any, search},
};

}  // namespace

std::span<const KernelRow> search_kernels() { return search_table; }

}  // namespace parallax::vulkan
