// Convolutions of two spatial dims with constant weights, transposed ones included.
#include <array>

#include "backends/xnnpack/definer.h"
#include "ops/convolution_plan.h"

namespace parallax::xnnpack {
namespace {

// What a transposed convolution adds at the end of a dim.
int64_t adjustment(const ConvolutionPlan& plan, int dim) {
  const int64_t reach = plan.dilation[dim] * (plan.weight.sizes[dim + 2] - 1) + 1;
  const int64_t bare = plan.stride[dim] * (plan.input.sizes[dim + 2] - 1) + reach - 2 * plan.padding[dim];
  return plan.sizes[dim + 2] - bare;
}

bool fits(const NodeCall& call) {
  if (call.sizes(arg::input).size() != 4 || !call.is_constant(arg::weight)) return false;
  if (call.has(arg::bias) && !call.is_constant(arg::bias)) return false;
  const Result<ConvolutionPlan> plan = plan_convolution(call);
  if (!plan || plan->spatial() != 2 || plan->unbatched) return false;
  for (int dim = 0; dim < 2; ++dim) {
    if (plan->padding[dim] < 0) return false;
    // The library leaves no more than a stride behind.
    if (plan->transposed && (adjustment(*plan, dim) < 0 || adjustment(*plan, dim) >= plan->stride[dim])) return false;
  }
  return true;
}

// Which dims of an ATen weight the library's filter is made of, outermost first.
Layout permuted(const Layout& weight, std::initializer_list<int> dims) {
  Layout layout = {{}, {}, weight.offset};
  for (int dim : dims) {
    layout.sizes.push_back(weight.sizes[dim]);
    layout.strides.push_back(weight.strides[dim]);
  }
  return layout;
}

// [groups * in, out, ...] as the library has it, [groups * out, kernel, kernel, in], in five dims.
Layout transposed_filter(const ConvolutionPlan& plan) {
  const Layout& w = plan.weight;
  const int64_t in = w.sizes[0] / plan.groups;
  return {{plan.groups, w.sizes[1], w.sizes[2], w.sizes[3], in},
          {in * w.strides[0], w.strides[1], w.strides[2], w.strides[3], w.strides[0]},
          w.offset};
}

xnn_status convolve(Definer& definer, const NodeCall& call) {
  const ConvolutionPlan plan = plan_convolution(call).value();
  const auto of = [](const Dims& dims, int dim) { return static_cast<uint32_t>(dims[dim]); };
  const uint32_t height = of(plan.weight.sizes, 2);
  const uint32_t width = of(plan.weight.sizes, 3);
  const auto groups = static_cast<uint32_t>(plan.groups);
  const auto in = static_cast<std::size_t>(plan.input.sizes[1]) / groups;
  const auto out = static_cast<std::size_t>(plan.out_channels()) / groups;
  const uint32_t top = of(plan.padding, 0);
  const uint32_t left = of(plan.padding, 1);
  const xnn_subgraph_t subgraph = definer.subgraph();
  constexpr Range all;
  const uint32_t x = definer.operand(call, arg::input);
  uint32_t bias = XNN_INVALID_VALUE_ID;
  if (call.has(arg::bias)) {
    bias = definer.constant(call.constant(arg::bias, call.tensor(arg::bias).layout), {groups * out});
  }
  if (plan.transposed) {
    const uint32_t filter =
        definer.constant(call.constant(arg::weight, transposed_filter(plan)), {groups * out, height, width, in});
    return xnn_define_deconvolution_2d(subgraph, top, left, top, left, static_cast<uint32_t>(adjustment(plan, 0)),
                                       static_cast<uint32_t>(adjustment(plan, 1)), height, width, of(plan.stride, 0),
                                       of(plan.stride, 1), of(plan.dilation, 0), of(plan.dilation, 1), groups, in, out,
                                       all.low, all.high, x, filter, bias, definer.result(call), 0);
  }
  if (in == 1 && groups > 1) {
    const uint32_t filter = definer.constant(call.constant(arg::weight, permuted(plan.weight, {1, 2, 3, 0})),
                                             {1, height, width, groups * out});
    return xnn_define_depthwise_convolution_2d(subgraph, top, left, top, left, height, width, of(plan.stride, 0),
                                               of(plan.stride, 1), of(plan.dilation, 0), of(plan.dilation, 1),
                                               static_cast<uint32_t>(out), groups, all.low, all.high, x, filter, bias,
                                               definer.result(call), 0);
  }
  const uint32_t filter = definer.constant(call.constant(arg::weight, permuted(plan.weight, {0, 2, 3, 1})),
                                           {groups * out, height, width, in});
  return xnn_define_convolution_2d(subgraph, top, left, top, left, height, width, of(plan.stride, 0),
                                   of(plan.stride, 1), of(plan.dilation, 0), of(plan.dilation, 1), groups, in, out,
                                   all.low, all.high, x, filter, bias, definer.result(call), 0);
}

constexpr std::array convolution_table = {
    OpRow{"aten.conv2d.default", fits, convolve, Order::ChannelsLast},
    OpRow{"aten.conv_transpose2d.input", fits, convolve, Order::ChannelsLast},
    OpRow{"aten.convolution.default", fits, convolve, Order::ChannelsLast},
};

}  // namespace

std::span<const OpRow> convolution_rows() { return convolution_table; }

}  // namespace parallax::xnnpack
