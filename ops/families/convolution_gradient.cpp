// The gradients of a convolution: of its input, its weight and its bias.
#include <algorithm>
#include <array>

#include "ops/ball_dot.h"
#include "ops/ball_sum.h"
#include "ops/convolution_plan.h"
#include "ops/core_gradients.h"
#include "ops/elementwise.h"
#include "ops/fresh_layout.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// Beside the gradient of the input.
constexpr int weight_result = 1;
constexpr int bias_result = 2;

int64_t positions(const Dims& sizes) {
  int64_t count = 1;
  for (int dim = 2; dim < sizes.size(); ++dim) count *= sizes[dim];
  return count;
}

Metas infer_gradients(const Call& call) {
  const std::string& op = call.op().name;
  TRY_VOID(check_all_wanted(call));
  TRY(const ConvolutionPlan plan, plan_convolution(call));
  const TensorMeta& input = call.tensor(arg::input);
  const TensorMeta& weight = call.tensor(arg::weight);
  const TensorMeta& gradient = call.tensor(arg::grad_output);
  if (!is_floating(input.dtype)) return refuse("{} does not take {}", op, name(input.dtype));
  if (plan.unbatched) return fail("{}: an input without a batch is not supported", op);
  if (gradient.dtype != input.dtype || gradient.layout.sizes != plan.sizes) {
    return refuse("{}: a gradient of {}[{}], not {}[{}]", op, name(gradient.dtype), to_string(gradient.layout.sizes),
                  name(input.dtype), to_string(plan.sizes));
  }
  if (input.layout.numel() == 0 || weight.layout.numel() == 0 || gradient.layout.numel() == 0) {
    return fail("{}: gradients of nothing are not supported", op);
  }
  const bool last = suggested_format(input.layout) == MemoryFormat::ChannelsLast ||
                    suggested_format(weight.layout) == MemoryFormat::ChannelsLast;
  const MemoryFormat format = last ? MemoryFormat::ChannelsLast : MemoryFormat::Contiguous;
  TRY(const Layout of_input, fresh_layout(contiguous_layout(input.layout.sizes), format));
  TRY(const Layout of_weight, fresh_layout(contiguous_layout(weight.layout.sizes), format));
  return std::vector{ResultMeta{input.dtype, of_input, ValueId()}, ResultMeta{input.dtype, of_weight, ValueId()},
                     ResultMeta{input.dtype, contiguous_layout({plan.out_channels()}), ValueId()}};
}

// Calls `visit(gradient, input, weight)` with the row-major places of each gradient of the result, and of the input and
// the weight whose product is in that result.
template <class Visit>
void for_each_product(const ConvolutionPlan& plan, Visit&& visit) {
  const std::vector<Taps> all_taps = taps_of(plan);
  const int64_t outputs = positions(plan.sizes);
  const int64_t inputs = positions(plan.input.sizes);
  const int64_t kernel = positions(plan.weight.sizes);
  const int64_t group_in = plan.input.sizes[1] / plan.groups;
  const int64_t group_out = plan.out_channels() / plan.groups;
  for (int64_t n = 0; n < plan.sizes[0]; ++n) {
    for (int64_t out = 0; out < plan.out_channels(); ++out) {
      const int64_t group = out / group_out;
      for (int64_t position = 0; position < outputs; ++position) {
        const int64_t gradient = (n * plan.out_channels() + out) * outputs + position;
        for (const auto& [at, tap] : all_taps[static_cast<std::size_t>(position)].met) {
          for (int64_t c = 0; c < group_in; ++c) {
            const int64_t in = group * group_in + c;
            const int64_t row = plan.transposed ? in * group_out + out % group_out : out * group_in + c;
            visit(gradient, (n * plan.input.sizes[1] + in) * inputs + at, row * kernel + tap);
          }
        }
      }
    }
  }
}

void write(const BallView& output, const std::vector<BallDot>& dots, int64_t parts) {
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    output.ball(elements[i]) = dots[i].result(1, Ball::exact(0), parts);
  }
}

Result<void> reference_gradients(const ReferenceCall& call) {
  TRY(const ConvolutionPlan plan, plan_convolution(call));
  const BallMath math(call.output().dtype, call.profile());
  const std::vector<Factor> gradients = factors_of(call.input(arg::grad_output), call.input(arg::grad_output).layout);
  const std::vector<Factor> inputs = factors_of(call.input(arg::input), plan.input);
  const std::vector<Factor> weights = factors_of(call.input(arg::weight), plan.weight);
  std::vector<BallDot> of_input(inputs.size(), BallDot(math));
  std::vector<BallDot> of_weight(weights.size(), BallDot(math));
  for_each_product(plan, [&](int64_t gradient, int64_t input, int64_t weight) {
    const Factor& factor = gradients[static_cast<std::size_t>(gradient)];
    of_input[static_cast<std::size_t>(input)].add(factor, weights[static_cast<std::size_t>(weight)]);
    of_weight[static_cast<std::size_t>(weight)].add(factor, inputs[static_cast<std::size_t>(input)]);
  });
  // Eager stores the products of each kernel position, and of each batch, before it adds them.
  write(call.output(), of_input, positions(plan.weight.sizes));
  write(call.output(weight_result), of_weight, plan.sizes[0]);
  const int64_t outputs = positions(plan.sizes);
  for (int64_t channel = 0; channel < plan.out_channels(); ++channel) {
    BallSum sum(math);
    for (int64_t n = 0; n < plan.sizes[0]; ++n) {
      for (int64_t i = 0; i < outputs; ++i) {
        sum.add(gradients[static_cast<std::size_t>((n * plan.out_channels() + channel) * outputs + i)].ball);
      }
    }
    call.output(bias_result).ball(channel) = sum.result();
  }
  return {};
}

// With a stride of 1 and no padding, of three values that fit.
std::optional<std::vector<Argument>> sample_gradients(const Op&, SampleContext& context) {
  const auto is_picture = [](const TensorMeta& meta) {
    return is_floating(meta.dtype) && meta.layout.rank() >= 3 && meta.layout.rank() <= 5 && meta.layout.numel() > 0;
  };
  const auto fits = [&](const TensorMeta& gradient, const TensorMeta& input, const TensorMeta& weight) {
    const Dims& g = gradient.layout.sizes;
    const Dims& x = input.layout.sizes;
    const Dims& w = weight.layout.sizes;
    if (input.dtype != gradient.dtype || weight.dtype != gradient.dtype) return false;
    if (x.size() != g.size() || w.size() != g.size() || x[0] != g[0] || w[0] != g[1] || w[1] != x[1]) return false;
    for (int dim = 2; dim < g.size(); ++dim) {
      if (g[dim] != x[dim] - w[dim] + 1) return false;
    }
    return true;
  };
  std::vector<std::array<ValueId, 3>> triples;
  constexpr std::size_t enough = 16;
  for (const Candidate& gradient : context.pool()) {
    if (!is_picture(context.meta(gradient.value)) || triples.size() > enough) continue;
    for (const Candidate& input : context.pool()) {
      if (!is_picture(context.meta(input.value)) || triples.size() > enough) continue;
      for (const Candidate& weight : context.pool()) {
        if (!is_picture(context.meta(weight.value))) continue;
        if (!fits(context.meta(gradient.value), context.meta(input.value), context.meta(weight.value))) continue;
        triples.push_back({gradient.value, input.value, weight.value});
      }
    }
  }
  if (triples.empty()) return std::nullopt;
  const auto& [gradient, input, weight] = context.choices().pick(triples);
  const Dims& sizes = context.meta(gradient).layout.sizes;
  const std::size_t spatial = static_cast<std::size_t>(sizes.size()) - 2;
  return std::vector<Argument>{gradient,
                               input,
                               weight,
                               IntList{sizes[1]},
                               IntList(spatial, 1),
                               IntList(spatial, 0),
                               IntList(spatial, 1),
                               Scalar(false),
                               IntList(spatial, 0),
                               Scalar(int64_t{1}),
                               ScalarList{true, true, true}};
}

}  // namespace

std::vector<OpDef> convolution_gradients() {
  return {
      {.schema =
           "convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] "
           "stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, "
           "bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
       .infer = infer_gradients,
       .reference = reference_gradients,
       .sample = sample_gradients},
  };
}

Result<void> check_all_wanted(const Call& call) {
  const ScalarList& wanted = std::get<ScalarList>(call.argument(arg::output_mask));
  if (std::ranges::all_of(wanted, [](const Scalar& one) { return std::get<bool>(one); })) return {};
  return fail("{}: a gradient that is not asked for is no tensor, which is not supported", call.op().name);
}

}  // namespace parallax
