// Running sums, products, logarithms of sums, and extremes with their places.
#include <algorithm>

#include "backends/vulkan/device_kernel.h"

namespace parallax::vulkan {
namespace {

const ShaderSource scan_source = {"scan", [] { return std::string(shader_text("scan")); }};
const ShaderSource extreme_source = {
    "running_extreme", [] { return std::string(shader_text("ranks")) + std::string(shader_text("running_extreme")); }};

// As in shaders/scan.glsl.
enum class Scan : uint32_t { Sum, Product, LogarithmOfSum };

// One invocation for each line along the call's parameter `dim`. `head` is the metadata before the
// offsets of the operand and the results, which are followed by the length, steps and outer dims.
Result<void> record_lines(const KernelCall& call, const ShaderSource& source, int results,
                          std::initializer_list<int64_t> head) {
  const TensorRef& input = call.input(arg::self);
  if (input.layout->numel() == 0) return {};
  Recorder& recorder = call.recorder();
  Dispatch dispatch;
  dispatch.source = &source;
  std::vector<BoundTensor> tensors = {recorder.bind(input, *input.layout)};
  dispatch.reads = {tensors.front().range};
  for (int k = 0; k < results; ++k) {
    tensors.push_back(recorder.bind(call.output(k), *call.output(k).layout));
    dispatch.writes.push_back(tensors.back().range);
  }
  const int rank = input.layout->rank();
  const int dim = rank == 0 ? -1 : portable::wrapped_dim(call.integer(arg::dim), rank);
  const int64_t length = rank == 0 ? 1 : input.layout->sizes[dim];
  dispatch.count = static_cast<uint64_t>(input.layout->numel() / length);
  dispatch.metadata = recorder.next_word();
  for (int64_t word : head) recorder.word(word);
  for (const BoundTensor& tensor : tensors) recorder.word(tensor.layout.offset);
  recorder.word(length);
  for (const BoundTensor& tensor : tensors) recorder.word(rank == 0 ? 0 : tensor.layout.strides[dim]);
  recorder.word(std::max(rank - 1, 0));
  for (int d = 0; d < rank; ++d) {
    if (d == dim) continue;
    recorder.word(input.layout->sizes[d]);
    for (const BoundTensor& tensor : tensors) recorder.word(tensor.layout.strides[d]);
  }
  recorder.add(std::move(dispatch));
  return {};
}

template <Scan function>
Result<void> scan(const KernelCall& call) {
  return record_lines(call, scan_source, 1,
                      {int64_t(function), int64_t(call.input(arg::self).dtype), int64_t(call.output().dtype)});
}

// (values, indices)
template <bool largest>
Result<void> running_extreme(const KernelCall& call) {
  return record_lines(call, extreme_source, 2, {int64_t{largest}, int64_t(call.input(arg::self).dtype)});
}

// There is no exponential of doubles.
bool takes_floats(const Call&, const TensorMeta& result) {
  return is_floating(result.dtype) && result.dtype != DType::F64;
}

constexpr std::array scan_table = {
    KernelRow{"aten.cumsum.default", takes_any, scan<Scan::Sum>},
    KernelRow{"aten.cumprod.default", takes_any, scan<Scan::Product>},
    KernelRow{"aten.logcumsumexp.default", takes_floats, scan<Scan::LogarithmOfSum>},
    KernelRow{"aten.cummax.default", takes_any, running_extreme<true>},
    KernelRow{"aten.cummin.default", takes_any, running_extreme<false>},
};

}  // namespace

std::span<const KernelRow> scan_kernels() { return scan_table; }

}  // namespace parallax::vulkan
