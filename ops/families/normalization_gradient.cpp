// The gradients of layer and group norm, from the moments that the forward op saved.
#include <algorithm>
#include <cmath>
#include <span>

#include "ops/ball_normalize.h"
#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/core_gradients.h"
#include "ops/elementwise.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// Beside the gradient of the input.
constexpr int weight_result = 1;
constexpr int bias_result = 2;

// Lanes of `length` elements in row-major order, each with a mean and an inverse deviation. Element k of lane i takes
// the weight of channel first_channel(i) + k / inner.
struct Plan {
  int64_t lanes = 0;
  int64_t length = 0;
  int64_t channels = 0;  // weights
  int64_t inner = 1;     // elements of a channel
  int64_t groups = 1;    // lanes after which the channels begin anew

  std::size_t channel(int64_t lane, int64_t k) const {
    return static_cast<std::size_t>(lane % groups * (length / inner) + k / inner);
  }
};

Result<Plan> plan_layers(const Call& call) {
  const Dims& sizes = call.tensor(arg::input).layout.sizes;
  const IntList& shape = call.integers(arg::normalized_shape);
  const auto rank = static_cast<int>(shape.size());
  if (shape.empty() || rank > sizes.size() || !std::equal(shape.begin(), shape.end(), sizes.end() - rank)) {
    return refuse("{}: the input [{}] does not end in the normalized shape", call.op().name, to_string(sizes));
  }
  Plan plan{1, 1, 1, 1, 1};
  for (int dim = 0; dim < sizes.size(); ++dim) (dim < sizes.size() - rank ? plan.lanes : plan.length) *= sizes[dim];
  plan.channels = plan.length;
  return plan;
}

Result<Plan> plan_groups(const Call& call) {
  const int64_t batch = call.integer(arg::N);
  const int64_t channels = call.integer(arg::C);
  const int64_t inner = call.integer(arg::HxW);
  const int64_t groups = call.integer(arg::group);
  const auto count = checked_numel(IntList{batch, channels, inner});
  if (!count || *count != call.tensor(arg::input).layout.numel()) {
    return refuse("{}: the sizes are not those of the input", call.op().name);
  }
  if (groups <= 0 || channels % groups != 0)
    return refuse("{}: {} channels in {} groups", call.op().name, channels, groups);
  return Plan{batch * groups, channels / groups * inner, channels, inner, groups};
}

bool is_of_layers(const Call& call) { return call.takes(arg::normalized_shape); }

Result<Plan> plan_gradient(const Call& call) { return is_of_layers(call) ? plan_layers(call) : plan_groups(call); }

Metas infer_gradient(const Call& call) {
  const std::string& op = call.op().name;
  const TensorMeta& input = call.tensor(arg::input);
  const TensorMeta& gradient = call.tensor(arg::grad_out);
  if (!is_floating(input.dtype)) return refuse("{} takes floating dtypes only", op);
  TRY_VOID(check_all_wanted(call));
  TRY(const Plan plan, plan_gradient(call));
  if (plan.lanes == 0 || plan.length == 0) return fail("{}: gradients of nothing are not supported", op);
  if (gradient.dtype != input.dtype || gradient.layout.sizes != input.layout.sizes) {
    return refuse("{}: a gradient of {}[{}] for {}[{}]", op, name(gradient.dtype), to_string(gradient.layout.sizes),
                  name(input.dtype), to_string(input.layout.sizes));
  }
  if (!is_contiguous(input.layout) || !is_contiguous(gradient.layout)) {
    return fail("{}: an input that is not contiguous is not supported", op);
  }
  if (!call.has(arg::weight)) return fail("{}: gradients without a weight are not supported", op);
  const TensorMeta& weight = call.tensor(arg::weight);
  const bool f32_beside_half = weight.dtype == DType::F32 && size_of(input.dtype) == 2;
  if (weight.dtype != input.dtype && !f32_beside_half) return refuse("{}: a weight of {}", op, name(weight.dtype));
  if (weight.layout.numel() != plan.channels || !is_contiguous(weight.layout)) {
    return refuse("{}: a weight of [{}]", op, to_string(weight.layout.sizes));
  }
  for (const arg moment : {arg::mean, arg::rstd}) {
    const TensorMeta& meta = call.tensor(moment);
    if (meta.dtype != weight.dtype || meta.layout.numel() != plan.lanes) {
      return refuse("{}: {} of {}[{}] for {} lanes", op, name(moment), name(meta.dtype), to_string(meta.layout.sizes),
                    plan.lanes);
    }
  }
  const Layout parameters = contiguous_layout(weight.layout.sizes);
  return std::vector{ResultMeta{input.dtype, contiguous_layout(input.layout.sizes), ValueId()},
                     ResultMeta{weight.dtype, parameters, ValueId()}, ResultMeta{weight.dtype, parameters, ValueId()}};
}

std::vector<Ball> balls_of(const ReferenceCall& call, arg name, DType dtype) {
  const BallView& view = call.input(name);
  std::vector<Ball> balls;
  for_each_element(view.layout,
                   [&](int64_t element) { balls.push_back(element_as_ball(view, element, dtype, call.profile())); });
  return balls;
}

// One lane's operands and what they come to.
struct Lane {
  std::span<const Ball> x;
  std::span<const Ball> gradient;
  std::vector<Ball> scaled;  // the gradients times their weights
  Ball mean;
  Ball inverse;
};

// (x - mean) inverse, or x inverse - mean inverse.
Ball normalized(const BallMath& math, const Lane& lane, std::size_t k) {
  const Ball apart = math.mul(math.sub(lane.x[k], lane.mean), lane.inverse);
  return hull(apart, math.sub(math.mul(lane.x[k], lane.inverse), math.mul(lane.mean, lane.inverse)));
}

// Factors are multiplied in any order, and may be taken out of a sum: a few more roundings of what it is made of.
Ball loosened(const BallMath& math, Ball ball, double magnitude) {
  constexpr double roundings = 6;
  if (!ball.decided() || !std::isfinite(ball.mid) || !std::isfinite(magnitude)) return ball;
  const double error = relative_error(roundings, math.profile().unit_roundoff(math.dtype())) * magnitude;
  if (ball.deviation >= 0) ball.deviation += static_cast<float>(error);
  ball.radius += error * (1 + 0x1p-40);
  return ball;
}

// A sum whose terms are products.
class ProductSum {
 public:
  explicit ProductSum(const BallMath& math) : math_(&math), sum_(math) {}
  void add(const Ball& term) {
    sum_.add(term);
    magnitude_ += reach(term);
  }
  Ball result() const { return loosened(*math_, sum_.result(), magnitude_); }

 private:
  const BallMath* math_;
  BallSum sum_;
  double magnitude_ = 0;
};

// The gradient of each element, in both usual forms: with a slope and a shift for the lane, as eager has it, and as the
// gradient less its mean and its part along the normalised elements.
std::vector<Ball> input_gradients(const BallMath& math, const Lane& lane) {
  const Ball count = Ball::exact(static_cast<double>(lane.x.size()));
  ProductSum of_products(math);
  ProductSum of_gradients(math);
  ProductSum along(math);
  for (std::size_t k = 0; k < lane.x.size(); ++k) {
    of_products.add(math.mul(lane.scaled[k], lane.x[k]));
    of_gradients.add(lane.scaled[k]);
    along.add(math.mul(lane.scaled[k], normalized(math, lane, k)));
  }
  const Ball sum = of_gradients.result();
  const Ball products = of_products.result();
  const Ball cube = math.mul(math.mul(lane.inverse, lane.inverse), lane.inverse);
  const Ball part = math.div(cube, count);
  const double most_slope = (reach(sum) * reach(lane.mean) + reach(products)) * reach(part);
  const Ball slope = loosened(math, math.mul(math.sub(math.mul(sum, lane.mean), products), part), most_slope);
  const Ball of_sum = math.div(math.mul(sum, lane.inverse), count);
  const double most_shift = most_slope * reach(lane.mean) + reach(of_sum);
  const Ball shift = loosened(math, math.sub(math.neg(math.mul(slope, lane.mean)), of_sum), most_shift);
  const Ball mean_gradient = math.div(sum, count);
  const Ball mean_along = math.div(along.result(), count);
  std::vector<Ball> results;
  for (std::size_t k = 0; k < lane.x.size(); ++k) {
    const Ball scaled = math.mul(lane.inverse, lane.scaled[k]);
    const Ball by_slope = math.add(math.add(scaled, math.mul(slope, lane.x[k])), shift);
    const double most_by_slope = reach(scaled) + most_slope * reach(lane.x[k]) + most_shift;
    const Ball part_along = math.mul(normalized(math, lane, k), mean_along);
    const Ball rest = math.mul(math.sub(math.sub(lane.scaled[k], mean_gradient), part_along), lane.inverse);
    const double most_rest = (reach(lane.scaled[k]) + reach(mean_gradient) + reach(part_along)) * reach(lane.inverse);
    results.push_back(hull(loosened(math, by_slope, most_by_slope), loosened(math, rest, most_rest)));
  }
  return results;
}

// What one lane adds to the gradients of its channels' weights and biases, in the parameters' own dtype, halves too.
class ParameterSums {
 public:
  ParameterSums(const BallMath& math, std::size_t channels)
      : weights_(channels, BallSum(math)), biases_(channels, BallSum(math)) {}

  void add(const BallMath& math, const Plan& plan, int64_t lane_number, const Lane& lane) {
    for (int64_t first = 0; first < plan.length; first += plan.inner) {
      const std::size_t channel = plan.channel(lane_number, first);
      ProductSum by_elements(math);
      ProductSum of_products(math);
      ProductSum of_gradients(math);
      for (int64_t k = first; k < first + plan.inner; ++k) {
        const auto at = static_cast<std::size_t>(k);
        by_elements.add(math.mul(lane.gradient[at], normalized(math, lane, at)));
        of_products.add(math.mul(lane.gradient[at], lane.x[at]));
        of_gradients.add(lane.gradient[at]);
        biases_[channel].add(lane.gradient[at]);
      }
      const Ball sum = of_gradients.result();
      const Ball products = of_products.result();
      const Ball at_once = math.mul(math.sub(products, math.mul(sum, lane.mean)), lane.inverse);
      const double most = (reach(products) + reach(sum) * reach(lane.mean)) * reach(lane.inverse);
      weights_[channel].add(hull(by_elements.result(), loosened(math, at_once, most)));
    }
  }
  Ball weight(std::size_t channel) const { return weights_[channel].result(); }
  Ball bias(std::size_t channel) const { return biases_[channel].result(); }

 private:
  std::vector<BallSum> weights_;
  std::vector<BallSum> biases_;
};

Result<void> reference_gradient(const ReferenceCall& call) {
  TRY(const Plan plan, plan_gradient(call));
  const DType dtype = call.output().dtype;
  const BallMath math(accumulator_of(BallMath(dtype, call.profile())), call.profile());
  const std::vector<Ball> x = balls_of(call, arg::input, math.dtype());
  const std::vector<Ball> gradient = balls_of(call, arg::grad_out, math.dtype());
  const std::vector<Ball> weight = balls_of(call, arg::weight, math.dtype());
  const std::vector<Ball> mean = balls_of(call, arg::mean, math.dtype());
  const std::vector<Ball> inverse = balls_of(call, arg::rstd, math.dtype());
  const DType saved = call.output(weight_result).dtype;
  const CallProfile profile = call.profile().with(Form::AccumulateInHalf);
  const BallMath saved_math(saved, profile);
  ParameterSums sums(saved_math, weight.size());
  const auto length = static_cast<std::size_t>(plan.length);
  for (int64_t number = 0; number < plan.lanes; ++number) {
    const auto at = static_cast<std::size_t>(number);
    Lane lane{std::span(x).subspan(at * length, length),
              std::span(gradient).subspan(at * length, length),
              {},
              mean[at],
              inverse[at]};
    for (int64_t k = 0; k < plan.length; ++k) {
      lane.scaled.push_back(math.mul(lane.gradient[static_cast<std::size_t>(k)], weight[plan.channel(number, k)]));
    }
    const std::vector<Ball> results = input_gradients(math, lane);
    for (std::size_t k = 0; k < length; ++k) {
      call.output().ball(number * plan.length + static_cast<int64_t>(k)) =
          cast_ball(results[k], math.dtype(), dtype, call.profile());
    }
    sums.add(math, plan, number, lane);
  }
  for (std::size_t channel = 0; channel < weight.size(); ++channel) {
    const auto to = static_cast<int64_t>(channel);
    call.output(weight_result).ball(to) = cast_ball(sums.weight(channel), math.dtype(), saved, call.profile());
    call.output(bias_result).ball(to) = cast_ball(sums.bias(channel), math.dtype(), saved, call.profile());
  }
  return {};
}

// Contiguous values of the dtype with so many elements, in that shape where one is given.
std::optional<ValueId> pick_contiguous(SampleContext& context, DType dtype, int64_t count, const Dims* sizes) {
  return context.pick([&](const Candidate&, const TensorMeta& meta) {
    return meta.dtype == dtype && is_contiguous(meta.layout) && meta.layout.numel() == count &&
           (sizes == nullptr || meta.layout.sizes == *sizes);
  });
}

std::optional<std::vector<Argument>> sample_gradient(const Op& op, SampleContext& context) {
  const bool of_layers = op.schema.index_of(arg::normalized_shape) >= 0;
  const auto input = context.pick([&](const Candidate&, const TensorMeta& meta) {
    return is_floating(meta.dtype) && meta.layout.rank() >= (of_layers ? 1 : 2) && meta.layout.numel() > 0 &&
           is_contiguous(meta.layout);
  });
  if (!input) return std::nullopt;
  const TensorMeta& meta = context.meta(*input);
  const Dims& sizes = meta.layout.sizes;
  const int64_t count = meta.layout.numel();
  const auto gradient = pick_contiguous(context, meta.dtype, count, &sizes);
  const Dims last{sizes.back()};
  const Dims channels = of_layers ? last : Dims{sizes[1]};
  const int64_t groups = !of_layers && context.choices().chance(50) ? sizes[1] : 1;
  const int64_t lanes = of_layers ? count / sizes.back() : sizes[0] * groups;
  const auto weight = pick_contiguous(context, meta.dtype, channels[0], &channels);
  const auto mean = pick_contiguous(context, meta.dtype, lanes, nullptr);
  const auto inverse = pick_contiguous(context, meta.dtype, lanes, nullptr);
  if (!gradient || !weight || !mean || !inverse) return std::nullopt;
  const Argument wanted = ScalarList{true, true, true};
  if (of_layers)
    return std::vector<Argument>{*gradient, *input, IntList{sizes.back()}, *mean, *inverse, *weight, *weight, wanted};
  return std::vector<Argument>{*gradient,
                               *input,
                               *mean,
                               *inverse,
                               *weight,
                               Scalar(sizes[0]),
                               Scalar(sizes[1]),
                               Scalar(count / (sizes[0] * sizes[1])),
                               Scalar(groups),
                               wanted};
}

OpDef gradient(std::string_view schema) {
  return {.schema = schema, .infer = infer_gradient, .reference = reference_gradient, .sample = sample_gradient};
}

}  // namespace

std::vector<OpDef> normalization_gradients() {
  return {
      gradient(
          "native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor "
          "rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)"),
      gradient("native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, "
               "SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)"),
  };
}

}  // namespace parallax
