// Convolutions and pooling.
#include "backends/vulkan/device_windows.h"

#include <algorithm>

#include "backends/vulkan/device_indexed.h"
#include "ops/convolution_plan.h"
#include "ops/pool_plan.h"

namespace parallax::vulkan {
namespace {

const ShaderSource window_source = {"window", [] { return std::string(shader_text("window")); }};

// As in shaders/window.glsl.
enum class Task : uint32_t {
  Convolution,
  Transposed,
  Average,
  AverageInside,
  Largest,
  PlaceOfLargest,
  Adaptive,
  AdaptiveLargest,
  PlaceOfAdaptiveLargest
};

constexpr int most_spatial = 3;

struct Window {
  Task task = Task::Average;
  TensorRef input, output;
  Layout from, to;  // with a batch dim
  std::optional<TensorRef> weight, bias;
  int64_t groups = 1;
  int64_t divisor = 0;
  Dims kernel, stride, padding, dilation;  // by spatial dim
};

void record(const KernelCall& call, const Window& window) {
  if (window.to.numel() == 0) return;
  Recorder& recorder = call.recorder();
  const int spatial = window.to.rank() - 2;
  Dispatch dispatch;
  dispatch.source = &window_source;
  dispatch.count = static_cast<uint64_t>(window.to.numel());
  const auto bind = [&](const TensorRef& tensor, std::vector<BufferRange>& ranges) {
    // The batch dim that was added changes neither the elements nor the offset.
    const BoundTensor bound = recorder.bind(tensor, *tensor.layout);
    ranges.push_back(bound.range);
    return bound.layout.offset;
  };
  const int64_t output = bind(window.output, dispatch.writes);
  const auto bind_read = [&](const TensorRef& tensor) {
    if (tensor.layout->numel() > 0) return bind(tensor, dispatch.reads);
    dispatch.reads.push_back(dispatch.writes.front());  // never read
    return int64_t{0};
  };
  const int64_t input = bind_read(window.input);
  const int64_t weight = window.weight ? bind_read(*window.weight) : 0;
  const int64_t bias = window.bias ? bind_read(*window.bias) : 0;
  const Layout* weights = window.weight ? window.weight->layout : nullptr;
  dispatch.metadata = recorder.next_word();
  for (int64_t word : {int64_t(window.task), int64_t(window.input.dtype), input, weight, bias, output}) {
    recorder.word(word);
  }
  for (int d = 0; d < 5; ++d) recorder.word(d < window.to.rank() ? window.to.sizes[d] : 1);
  for (int64_t word :
       {window.from.strides[0], window.from.strides[1], weights ? weights->strides[0] : 0,
        weights ? weights->strides[1] : 0, window.bias ? window.bias->layout->strides[0] + 1 : 0, window.to.strides[0],
        window.to.strides[1], window.from.sizes[1] / window.groups, window.to.sizes[1] / window.groups}) {
    recorder.word(word);
  }
  recorder.number(static_cast<uint64_t>(window.divisor));
  for (int d = 0; d < most_spatial; ++d) {
    const bool is_there = d < spatial;
    const auto of = [&](const Dims& dims, int64_t otherwise) { return d < dims.size() ? dims[d] : otherwise; };
    for (int64_t word : {is_there ? window.from.sizes[d + 2] : 1, of(window.kernel, 1), of(window.stride, 1),
                         of(window.padding, 0), of(window.dilation, 1), is_there ? window.from.strides[d + 2] : 0,
                         is_there && weights ? weights->strides[d + 2] : 0, is_there ? window.to.strides[d + 2] : 0}) {
      recorder.word(word);
    }
  }
  recorder.add(std::move(dispatch));
}

Layout with_batch(const Layout& layout, int rank) {
  if (layout.rank() == rank) return layout;
  Layout wide = layout;
  wide.sizes.insert(0, 1);
  wide.strides.insert(0, 0);
  return wide;
}

// One number may stand for all spatial dims.
Dims spread(const Call& call, arg parameter, int spatial, const Dims& otherwise) {
  const IntList& list = call.integers(parameter);
  if (list.empty()) return otherwise;
  if (list.size() == 1) return Dims::filled(spatial, list.front());
  return Dims(std::span<const int64_t>(list));
}

bool takes_convolution(const Call& call, const TensorMeta& result) {
  bool same = result.layout.rank() <= most_spatial + 2;
  for (arg operand : {arg::input, arg::weight, arg::bias}) {
    same = same && (!call.has(operand) || call.tensor(operand).dtype == result.dtype);
  }
  return same && call.tensor(arg::weight).layout.rank() <= most_spatial + 2;
}

// convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups), convNd(input,
// weight, bias, stride, padding, dilation, groups) and conv_transposeNd(input, weight, bias, stride, padding,
// output_padding, groups, dilation)
Result<void> convolve(const KernelCall& call) {
  TRY(const ConvolutionPlan plan, plan_convolution(call));
  const int rank = plan.input.rank();
  Window window;
  window.task = plan.transposed ? Task::Transposed : Task::Convolution;
  window.input = call.input(arg::input);
  window.output = call.output();
  window.from = plan.input;
  window.to = with_batch(*window.output.layout, rank);
  window.weight = call.input(arg::weight);
  if (call.has(arg::bias)) window.bias = call.input(arg::bias);
  window.groups = plan.groups;
  for (int d = 2; d < rank; ++d) window.kernel.push_back(plan.weight.sizes[d]);
  window.stride = plan.stride;
  window.padding = plan.padding;
  window.dilation = plan.dilation;
  record(call, window);
  return {};
}

template <int spatial>
Window pool(Task task, const TensorRef& input, const TensorRef& output) {
  Window window;
  window.task = task;
  window.input = input;
  window.output = output;
  window.from = with_batch(*window.input.layout, spatial + 2);
  window.to = with_batch(*window.output.layout, spatial + 2);
  return window;
}

template <int spatial>
Window kernel_pool(const Call& call, Task task, const TensorRef& input, const TensorRef& output) {
  Window window = pool<spatial>(task, input, output);
  window.kernel = spread(call, arg::kernel_size, spatial, {});
  window.stride = spread(call, arg::stride, spatial, window.kernel);
  window.padding = spread(call, arg::padding, spatial, {});
  if (call.takes(arg::dilation)) window.dilation = spread(call, arg::dilation, spatial, {});
  return window;
}

Task mean_of(const Call& call) { return call.boolean(arg::count_include_pad) ? Task::Average : Task::AverageInside; }

// avg_poolNd(self, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
template <int spatial>
Result<void> average(const KernelCall& call) {
  Window window = kernel_pool<spatial>(call, mean_of(call), call.input(arg::self), call.output());
  if (call.has(arg::divisor_override)) window.divisor = call.integer(arg::divisor_override);
  record(call, window);
  return {};
}

template <int spatial>
Result<void> adaptive_average(const KernelCall& call) {
  record(call, pool<spatial>(Task::Adaptive, call.input(arg::self), call.output()));
  return {};
}

// The results of a maximum.
constexpr int values_result = 0;
constexpr int places_result = 1;

// max_poolNd_with_indices(self, kernel_size, stride, padding, dilation, ceil_mode)
template <int spatial>
Result<void> maximum(const KernelCall& call) {
  for (int result : {values_result, places_result}) {
    const Task task = result == values_result ? Task::Largest : Task::PlaceOfLargest;
    record(call, kernel_pool<spatial>(call, task, call.input(arg::self), call.output(result)));
  }
  return {};
}

// adaptive_max_pool2d(self, output_size)
Result<void> adaptive_maximum(const KernelCall& call) {
  record(call, pool<2>(Task::AdaptiveLargest, call.input(arg::self), call.output(values_result)));
  record(call, pool<2>(Task::PlaceOfAdaptiveLargest, call.input(arg::self), call.output(places_result)));
  return {};
}

// max_pool2d_with_indices_backward(grad_output, self, …, indices): each gradient is added to the element of its plane
// that was its window's maximum.
Result<void> maximum_backward(const KernelCall& call) {
  const TensorRef& gradient = call.input(arg::grad_output);
  const TensorRef& places = call.input(arg::indices);
  const TensorRef& output = call.output();
  const Layout each = contiguous_layout(output.layout->sizes);
  if (each.numel() == 0) return {};
  // In memory where a plane's elements lie one step apart.
  TRY(const TensorRef sums, call.scratch(output.dtype, each, int64_t{0}));
  const int rank = each.rank();
  const Dims& windows = gradient.layout->sizes;
  Layout target{windows, each.strides, 0};
  for (int dim = rank - 2; dim < rank; ++dim) target.strides[dim] = 0;
  const int64_t plane = each.sizes[rank - 2] * each.sizes[rank - 1];
  record_indexed(call, {Direction::Adds,
                        windows,
                        gradient,
                        sums,
                        *gradient.layout,
                        target,
                        {{places, *places.layout, plane, 1, IndexRange::PassesOver}}});
  call.move(sums, each, output, *output.layout);
  return {};
}

constexpr std::array window_table = {
    KernelRow{"aten.convolution.default", takes_convolution, convolve},
    KernelRow{"aten.conv1d.default", takes_convolution, convolve},
    KernelRow{"aten.conv2d.default", takes_convolution, convolve},
    KernelRow{"aten.conv3d.default", takes_convolution, convolve},
    KernelRow{"aten.conv_transpose1d.default", takes_convolution, convolve},
    KernelRow{"aten.conv_transpose2d.input", takes_convolution, convolve},
    KernelRow{"aten.conv_transpose3d.input", takes_convolution, convolve},
    KernelRow{"aten.avg_pool1d.default", takes_any, average<1>},
    KernelRow{"aten.avg_pool2d.default", takes_any, average<2>},
    KernelRow{"aten.avg_pool3d.default", takes_any, average<3>},
    KernelRow{"aten.adaptive_avg_pool1d.default", takes_any, adaptive_average<1>},
    KernelRow{"aten._adaptive_avg_pool2d.default", takes_any, adaptive_average<2>},
    KernelRow{"aten._adaptive_avg_pool3d.default", takes_any, adaptive_average<3>},
    KernelRow{"aten.max_pool2d_with_indices.default", takes_any, maximum<2>},
    KernelRow{"aten.max_pool3d_with_indices.default", takes_any, maximum<3>},
    KernelRow{"aten.adaptive_max_pool2d.default", takes_any, adaptive_maximum},
    KernelRow{"aten.max_pool2d_with_indices_backward.default", takes_any, maximum_backward},
};

}  // namespace

std::span<const KernelRow> window_kernels() { return window_table; }

void record_pool_2d(const KernelCall& call, const Call& pool, const TensorRef& from, const TensorRef& to) {
  const Task task = pool.takes(arg::count_include_pad) ? mean_of(pool) : Task::Largest;
  record(call, kernel_pool<2>(pool, task, from, to));
}

}  // namespace parallax::vulkan
