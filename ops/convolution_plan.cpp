#include "ops/convolution_plan.h"

#include <algorithm>

#include "ops/copying.h"
#include "ops/fresh_layout.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// Extents and arguments up to here can be multiplied and added without overflow.
constexpr int64_t largest_extent = int64_t{1} << 30;

// A list argument with one number for each spatial dim; one number stands for all.
Result<Dims> spatial_list(const Call& call, arg parameter, int spatial, int64_t least) {
  const IntList& list = call.integers(parameter);
  if (list.size() != 1 && list.size() != static_cast<std::size_t>(spatial)) {
    return refuse("{}: {} numbers for {} in {} dims", call.op().name, list.size(), name(parameter), spatial);
  }
  for (int64_t value : list) {
    if (value < least || value > largest_extent) return refuse("{}: {} {}", call.op().name, name(parameter), value);
  }
  return list.size() == 1 ? Dims::filled(spatial, list[0]) : Dims(std::span(list));
}

Result<void> check_channels(const Call& call, const ConvolutionPlan& plan) {
  const int64_t channels = plan.input.sizes[1];
  const Dims& weight = plan.weight.sizes;
  if (plan.groups < 1) return refuse("{}: {} groups", call.op().name, plan.groups);
  if (weight[0] < plan.groups || weight[0] % plan.groups != 0) {
    return refuse("{}: a weight of shape [{}] has not {} groups", call.op().name, to_string(weight), plan.groups);
  }
  const bool fits = plan.transposed
                        ? channels == weight[0]
                        : weight[1] <= channels && channels % plan.groups == 0 && channels / plan.groups == weight[1];
  if (!fits) {
    return refuse("{}: a weight of shape [{}] in {} groups does not fit an input of {} channels", call.op().name,
                  to_string(weight), plan.groups, channels);
  }
  return {};
}

// The result's size along one dim.
Result<int64_t> convolved_size(const Call& call, const ConvolutionPlan& plan, int dim, int64_t output_padding) {
  const int64_t input = plan.input.sizes[dim + 2];
  const int64_t kernel = plan.dilation[dim] * (plan.weight.sizes[dim + 2] - 1) + 1;
  if (plan.transposed) {
    const int64_t size = (input - 1) * plan.stride[dim] - 2 * plan.padding[dim] + kernel + output_padding;
    if (size < 1) return refuse("{}: the result's size would be {}", call.op().name, size);
    return size;
  }
  const int64_t padded = input + 2 * plan.padding[dim];
  if (padded < kernel) return refuse("{}: a kernel of {} in an input of {}", call.op().name, kernel, padded);
  return (padded - kernel) / plan.stride[dim] + 1;
}

Result<void> check_bias(const Call& call, const ConvolutionPlan& plan) {
  if (!call.has(arg::bias)) return {};
  const TensorMeta& bias = call.tensor(arg::bias);
  if (bias.layout.sizes != Dims{plan.out_channels()}) {
    return refuse("{}: a bias of shape [{}] for {} channels", call.op().name, to_string(bias.layout.sizes),
                  plan.out_channels());
  }
  if (bias.dtype != call.tensor(arg::input).dtype) {
    return refuse("{}: a bias of {} for an input of {}", call.op().name, name(bias.dtype),
                  name(call.tensor(arg::input).dtype));
  }
  return {};
}

// What eager's kernels take; an input without batches or channels reaches none of them.
Result<void> check_dtypes(const Call& call, const ConvolutionPlan& plan) {
  const DType dtype = call.tensor(arg::input).dtype;
  if (call.tensor(arg::weight).dtype != dtype) {
    return refuse("{}: a weight of {} for an input of {}", call.op().name, name(call.tensor(arg::weight).dtype),
                  name(dtype));
  }
  if (plan.input.sizes[0] == 0 || plan.input.sizes[1] == 0) return {};
  const bool dilated = std::ranges::any_of(plan.dilation, [](int64_t step) { return step != 1; });
  const bool narrow_integer = is_integral(dtype) && dtype != DType::I64;
  if (dtype == DType::Bool || (narrow_integer && (plan.transposed || dilated))) {
    return refuse("{} does not take {}", call.op().name, name(dtype));
  }
  return {};
}

bool suggests_channels_last(const Layout& layout) { return suggested_format(layout) != MemoryFormat::Contiguous; }

}  // namespace

int spatial_dims(const Schema& schema) {
  const int stride = schema.index_of(arg::stride);
  return schema.parameters[static_cast<std::size_t>(stride)].fixed_length;
}

std::optional<bool> transposes(const Schema& schema) {
  if (schema.index_of(arg::transposed) >= 0) return std::nullopt;
  return schema.index_of(arg::output_padding) >= 0;
}

Result<ConvolutionPlan> plan_convolution(const Call& call) {
  const Schema& schema = call.op().schema;
  const int fixed_spatial = spatial_dims(schema);
  const std::optional<bool> fixed_transposed = transposes(schema);
  ConvolutionPlan plan;
  plan.input = call.tensor(arg::input).layout;
  plan.weight = call.tensor(arg::weight).layout;
  plan.transposed = fixed_transposed ? *fixed_transposed : call.boolean(arg::transposed);
  plan.groups = call.integer(arg::groups);
  const int rank = plan.weight.rank();
  if (rank < 3 || rank > 5 || (fixed_spatial > 0 && rank != fixed_spatial + 2)) {
    return refuse("{}: a weight of {} dims", call.op().name, rank);
  }
  plan.unbatched = fixed_spatial > 0 && plan.input.rank() == rank - 1;
  if (plan.unbatched) plan.input = *unsqueeze_layout(plan.input, 0);
  if (plan.input.rank() != rank) {
    return refuse("{}: an input of {} dims and a weight of {}", call.op().name, plan.input.rank(), rank);
  }
  for (const Layout* layout : {&plan.input, &plan.weight}) {
    if (std::ranges::any_of(layout->sizes, [](int64_t size) { return size > largest_extent; })) {
      return refuse("{}: an operand is too large", call.op().name);
    }
  }
  const int spatial = rank - 2;
  TRY(plan.stride, spatial_list(call, arg::stride, spatial, 1));
  TRY(plan.padding, spatial_list(call, arg::padding, spatial, 0));
  TRY(plan.dilation, spatial_list(call, arg::dilation, spatial, 1));
  Dims output_padding = Dims::filled(spatial, 0);
  if (call.takes(arg::output_padding)) {
    TRY(output_padding, spatial_list(call, arg::output_padding, spatial, 0));
  }
  TRY_VOID(check_channels(call, plan));
  TRY_VOID(check_bias(call, plan));
  TRY_VOID(check_dtypes(call, plan));
  const bool empty = plan.input.sizes[0] == 0 || plan.input.sizes[1] == 0;
  // Without channels there are none in the result either.
  plan.sizes = {plan.input.sizes[0], plan.input.sizes[1] == 0 ? 0 : plan.out_channels()};
  for (int dim = 0; dim < spatial; ++dim) {
    if (plan.weight.sizes[dim + 2] == 0 || (!empty && plan.input.sizes[dim + 2] == 0)) {
      return refuse("{}: a spatial dim is empty", call.op().name);
    }
    if (plan.transposed && output_padding[dim] >= std::max(plan.stride[dim], plan.dilation[dim])) {
      return refuse("{}: an output_padding of {} with a stride of {} and a dilation of {}", call.op().name,
                    output_padding[dim], plan.stride[dim], plan.dilation[dim]);
    }
    TRY(const int64_t size, convolved_size(call, plan, dim, output_padding[dim]));
    plan.sizes.push_back(size);
  }
  if (!checked_numel(std::span(plan.sizes.begin(), plan.sizes.end()))) {
    return refuse("{}: the result is too large", call.op().name);
  }
  return plan;
}

Layout convolved_layout(const ConvolutionPlan& plan, DType dtype) {
  Layout result = contiguous_layout(plan.sizes);
  const bool empty = plan.input.sizes[0] == 0 || plan.input.sizes[1] == 0;
  if (plan.spatial() == 1) {
    // Computed as a picture of one row, of an input that is made contiguous first.
    Dims sizes = plan.sizes;
    sizes.insert(2, 1);
    if (!empty && suggests_channels_last(*unsqueeze_layout(plan.weight, 2))) {
      result = *squeeze_layout(*fresh_layout(contiguous_layout(sizes), MemoryFormat::ChannelsLast), IntList{2});
    }
  } else if (!empty && (suggests_channels_last(plan.input) || suggests_channels_last(plan.weight))) {
    const bool several = plan.input.sizes[0] > 1 || plan.groups > 1;
    if (plan.spatial() == 2) {
      result = *fresh_layout(result, MemoryFormat::ChannelsLast);
    } else if (dtype == DType::F32 && several) {
      result = *fresh_layout(result, MemoryFormat::ChannelsLast3d);
    }
  }
  if (plan.unbatched) result = *squeeze_layout(result, IntList{0});
  return result;
}

std::vector<Taps> taps_of(const ConvolutionPlan& plan) {
  const int spatial = plan.spatial();
  const Dims input(std::span(plan.input.sizes.begin() + 2, plan.input.sizes.end()));
  const Dims kernel(std::span(plan.weight.sizes.begin() + 2, plan.weight.sizes.end()));
  std::vector<Taps> all;
  for_each_index(Dims(std::span(plan.sizes.begin() + 2, plan.sizes.end())), [&](const Dims& output) {
    Taps taps;
    int64_t kernel_position = 0;
    for_each_index(kernel, [&](const Dims& k) {
      int64_t input_position = 0;
      bool met = true;
      for (int dim = 0; dim < spatial && met; ++dim) {
        int64_t at = plan.transposed ? output[dim] + plan.padding[dim] - k[dim] * plan.dilation[dim]
                                     : output[dim] * plan.stride[dim] - plan.padding[dim] + k[dim] * plan.dilation[dim];
        if (plan.transposed) {
          met = at % plan.stride[dim] == 0;
          at /= plan.stride[dim];
        }
        met = met && at >= 0 && at < input[dim];
        input_position = input_position * input[dim] + at;
      }
      if (met) {
        taps.met.emplace_back(input_position, kernel_position);
      } else {
        taps.missed.push_back(kernel_position);
      }
      ++kernel_position;
    });
    all.push_back(std::move(taps));
  });
  return all;
}

}  // namespace parallax
