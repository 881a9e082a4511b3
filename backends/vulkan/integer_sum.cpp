#include "backends/vulkan/integer_sum.h"

#include <bit>

namespace parallax::vulkan {
namespace {

const ShaderSource integer_sum_source = {"integer_sum", [] { return std::string(shader_text("integer_sum")); },
                                         WidthKind::Wide};

// As in shaders/integer_sum.glsl: x, w, the four parameters, the bias, the result.
constexpr std::size_t sum_tensors = 8;
constexpr std::size_t sum_tensors_of_groups = 6;

}  // namespace

void record_integer_sum(const KernelCall& call, const IntegerSum& sum) {
  Recorder& recorder = call.recorder();
  const std::array parameters = {&sum.x.zero_point, &sum.x.scale, &sum.w.zero_point, &sum.w.scale};
  const Dims nowhere = Dims::filled(sum.outer.size(), 0);
  Dispatch dispatch;
  dispatch.source = &integer_sum_source;
  dispatch.count = static_cast<uint64_t>(contiguous_layout(sum.outer).numel());
  std::array<int64_t, sum_tensors> offsets{};
  std::array<const Dims*, sum_tensors> outer{};
  std::array<int64_t, sum_tensors_of_groups> groups{};
  const auto bind = [&](const TensorRef& tensor, const Layout& layout, std::vector<BufferRange>& ranges) {
    const BoundTensor bound = recorder.bind(tensor, layout);
    ranges.push_back(bound.range);
    return bound.layout.offset;
  };
  std::size_t next = 0;
  for (const IntegerFactor* factor : {&sum.x, &sum.w}) {
    offsets[next] = bind(factor->tensor, *factor->tensor.layout, dispatch.reads) + factor->shift;
    outer[next] = &factor->outer;
    groups[next++] = factor->group;
  }
  // Slots of what is not there are bound to x, and not read.
  for (const IntegerParameter* parameter : parameters) {
    outer[next] = parameter->number ? &nowhere : &parameter->outer;
    groups[next] = parameter->number ? 0 : parameter->group;
    if (parameter->number) {
      dispatch.reads.push_back(dispatch.reads.front());
    } else {
      const TensorRef tensor{parameter->storage, parameter->dtype, &parameter->layout};
      offsets[next] = bind(tensor, parameter->layout, dispatch.reads);
    }
    ++next;
  }
  outer[next] = sum.bias ? &sum.bias_outer : &nowhere;
  if (sum.bias) offsets[next] = bind(*sum.bias, *sum.bias->layout, dispatch.reads);
  outer[++next] = &sum.result_outer;
  offsets[next] = bind(sum.result, *sum.result.layout, dispatch.writes);

  dispatch.metadata = recorder.next_word();
  for (const IntegerParameter* parameter : parameters) {
    recorder.word(parameter->number.has_value());
    recorder.word(static_cast<int64_t>(parameter->dtype));
    recorder.number(std::bit_cast<uint64_t>(parameter->number.value_or(0)));
  }
  for (const DType dtype :
       {sum.x.tensor.dtype, sum.w.tensor.dtype, sum.bias ? sum.bias->dtype : DType::F32, sum.result.dtype}) {
    recorder.word(static_cast<int64_t>(dtype));
  }
  for (const int64_t word : {int64_t{sum.bias.has_value()}, int64_t{sum.outer.size()}, sum.groups,
                             int64_t{sum.inner.size()}, static_cast<int64_t>(sum.windows.size())}) {
    recorder.word(word);
  }
  for (const int64_t offset : offsets) recorder.word(offset);
  for (int d = 0; d < sum.outer.size(); ++d) {
    recorder.word(sum.outer[d]);
    for (const Dims* steps : outer) recorder.word((*steps)[d]);
  }
  for (const int64_t step : groups) recorder.word(step);
  for (int d = 0; d < sum.inner.size(); ++d) {
    for (const int64_t word : {sum.inner[d], sum.x.inner[d], sum.w.inner[d]}) recorder.word(word);
  }
  for (const WindowedDim& window : sum.windows) {
    for (const int64_t word :
         {window.outer, window.inner, window.stride, window.dilation, window.padding, window.size}) {
      recorder.word(word);
    }
  }
  recorder.add(std::move(dispatch));
}

}  // namespace parallax::vulkan
