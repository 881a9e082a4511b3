// Where numbers would stand in sorted rows.
#include "backends/vulkan/device_kernel.h"
#include "ops/elementwise.h"

namespace parallax::vulkan {
namespace {

const ShaderSource search_source = {
    "search", [] { return std::string(shader_text("ranks")) + std::string(shader_text("search")); }};

// Where the parameters of an overload stand; -1 for one that it does not have.
struct Search {
  int rows = 0;
  int numbers = 1;
  int right = 3;
  int side = -1;
  int sorter = -1;
};
constexpr Search searched = {.side = 4, .sorter = 5};
constexpr Search bucketed = {.rows = 1, .numbers = 0};

template <Search at>
Result<void> search(const KernelCall& call) {
  const TensorRef& output = call.output();
  const Layout& to = *output.layout;
  if (to.numel() == 0) return {};
  Recorder& recorder = call.recorder();
  const TensorRef& rows = call.input(at.rows);
  const DType dtype = result_type(call, {at.rows, at.numbers});
  bool passes = call.boolean(at.right);
  if constexpr (at.side >= 0) {
    if (call.has(at.side)) passes = std::get<std::string>(call.arguments()[at.side]) == "right";
  }
  TensorRef numbers;
  if (const auto* number = std::get_if<Scalar>(&call.arguments()[at.numbers])) {
    TRY(numbers, call.scratch(dtype, *number));
  } else {
    numbers = call.input(at.numbers);
  }
  std::optional<TensorRef> sorter;
  if constexpr (at.sorter >= 0) {
    if (call.has(at.sorter)) sorter = call.input(at.sorter);
  }
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

constexpr std::array rows = {
    KernelRow{"aten.searchsorted.Tensor", takes_any, search<searched>},
    KernelRow{"aten.searchsorted.Scalar", takes_any, search<searched>},
    KernelRow{"aten.bucketize.Tensor", takes_any, search<bucketed>},
    KernelRow{"aten.bucketize.Scalar", takes_any, search<bucketed>},
};

}  // namespace

std::span<const KernelRow> search_kernels() { return rows; }

}  // namespace parallax::vulkan
