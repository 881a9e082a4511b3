// Vector norms: linalg_vector_norm, norm, dist.
#include <cmath>

#include "core/limits.h"
#include "ops/ball_moments.h"
#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/lanes.h"
#include "ops/running_extreme.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// The double functions themselves stay within 4 units in the last place.
constexpr double libm_error = 0x1p-50;

// x to the power of an exponent that an implementation may hold with that relative error; x is not negative.
Ball power(const BallMath& math, const Ball& x, double exponent, double exponent_error) {
  if (!x.decided() || is_definite_nan(x)) return x;
  if (!x.may_inf && !x.may_nan && (is_definite_infinity(x) || (x.mid == 0 && x.radius == 0))) {
    return Ball::exact(std::pow(x.mid, exponent));
  }
  const double low = std::max(x.low(), 0.0);
  const double high = x.high();
  if (!std::isfinite(x.mid) || (low == 0 && exponent < 0)) return Ball::unknown(Undecided::Unbounded);
  const double mid = std::pow(std::clamp(x.mid, low, high), exponent);
  const double first = std::pow(low, exponent);
  const double last = std::pow(high, exponent);
  const double most = std::max(first, last);
  // d(x^p) = x^p ln x dp; x^p |ln x| is largest at an end, or at the top of its bump below 1, where it is 1 / (e p).
  const auto slope = [&](double base) { return base == 0 ? 0 : std::pow(base, exponent) * std::fabs(std::log(base)); };
  const double bump = low < 1 && exponent > 0 ? 0.37 / exponent : 0;
  const double by_exponent = std::fabs(exponent) * exponent_error * std::max({slope(low), slope(high), bump});
  Ball result = math.with_error(mid, std::max(std::fabs(first - mid), std::fabs(last - mid)),
                                math.function_error(most) + libm_error * most + by_exponent);
  if (!result.decided()) return result;
  if (x.may_inf) result = including(result, exponent > 0 ? infinity : 0);
  result.may_nan = result.may_nan || x.may_nan;
  return not_negative(result);
}

// Whether x is not 0, as 1 or 0.
Ball nonzero(const Ball& x) {
  const IntegerBall truth = ball_to_integer(x, DType::Bool);
  if (!x.decided()) return Ball::unknown(x.undecided);
  return truth.undecided == Undecided::No ? Ball::exact(static_cast<double>(truth.value)) : ball_of_interval(0, 1);
}

Ball extreme_norm(const BallMath& math, std::span<const Ball> lane, bool largest) {
  RunningExtreme<Ball> extreme(math, !largest, OfEqual::First);
  for (std::size_t i = 0; i < lane.size(); ++i) extreme.add(math.abs(lane[i]), static_cast<int64_t>(i));
  return extreme.value();
}

Ball norm(const BallMath& math, std::span<const Ball> lane, double order) {
  if (std::isnan(order)) return Ball::unknown(Undecided::Unbounded);
  if (std::isinf(order)) return extreme_norm(math, lane, order > 0);
  // What eager does with the order is done in the dtype that it computes in.
  const double unit_roundoff = math.profile().unit_roundoff(math.dtype());
  BallSum sum(math);
  for (const Ball& x : lane) {
    if (order == 0) {
      sum.add(nonzero(x));
    } else if (order == 1) {
      sum.add(math.abs(x));
    } else if (order == 2) {
      sum.add(math.mul_same(x));
    } else {
      sum.add(power(math, math.abs(x), order, math.holds(order) ? 0 : unit_roundoff));
    }
  }
  const Ball total = not_negative(sum.result());
  if (order == 0 || order == 1) return total;
  return order == 2 ? math.sqrt(total) : power(math, total, 1 / order, 2 * unit_roundoff);
}

// The order's name in an overload.
arg order_name(const Schema& schema) { return schema.index_of(arg::ord) >= 0 ? arg::ord : arg::p; }

// None stands for 2.
double order_of(const Call& call) {
  const arg order = order_name(call.op().schema);
  return call.has(order) ? call.real(order) : 2;
}

// Infinite and negative orders of nothing have no value.
bool needs_elements(double order) { return std::isinf(order) || order < 0; }

Result<std::vector<ResultMeta>> infer_norm(const Call& call) {
  const DType self = call.tensor(arg::self).dtype;
  const DType dtype = call.dtype(arg::dtype).value_or(self);
  if (!is_floating(self) || !is_floating(dtype)) return refuse("{} takes floating dtypes only", call.op().name);
  if (promote(self, dtype) != dtype)
    return refuse("{}: {} is narrower than {}", call.op().name, name(dtype), name(self));
  if (needs_elements(order_of(call))) TRY_VOID(check_reduces_something(call));
  TRY(const Layout layout, reduced_layout(call));
  return fresh_result(dtype, layout);
}

Result<void> reference_norm(const ReferenceCall& call) {
  const BallView& output = call.output();
  const DType accumulator = accumulator_of(BallMath(output.dtype, call.profile()));
  const BallMath math(accumulator, call.profile());
  const Lanes lanes(call.input(arg::self).layout, *reduced_dims(call));
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::vector<Ball> lane = lane_balls(call.input(arg::self), lanes[i], accumulator, call.profile());
    const Ball result = norm(math, lane, order_of(call));
    output.ball(static_cast<int64_t>(i)) = cast_ball(result, accumulator, output.dtype, call.profile());
  }
  return {};
}

// The norm of the difference.
Result<std::vector<ResultMeta>> infer_dist(const Call& call) {
  const DType common = result_type(call, {arg::self, arg::other});
  if (!is_floating(common)) return refuse("{} takes floating dtypes only", call.op().name);
  TRY(const Layout difference, pointwise_layout(call, {arg::self, arg::other}, common));
  if (difference.numel() == 0 && needs_elements(call.real(arg::p)))
    return refuse("{}: there is nothing to reduce, and no value for nothing", call.op().name);
  return fresh_result(common, Layout());
}

Result<void> reference_dist(const ReferenceCall& call) {
  const DType dtype = call.output().dtype;
  const Dims sizes = *broadcast_sizes(call.tensor(arg::self).layout.sizes, call.tensor(arg::other).layout.sizes);
  const Operand a(call, arg::self, sizes, dtype);
  const Operand b(call, arg::other, sizes, dtype);
  const BallMath math(dtype, call.profile());
  const auto count = static_cast<std::size_t>(contiguous_layout(sizes).numel());
  std::vector<Ball> differences(count);
  for (std::size_t i = 0; i < count; ++i) {
    differences[i] = a.same_element(b, i) ? math.sub_same(a.ball(i)) : math.sub(a.ball(i), b.ball(i));
  }
  const DType accumulator = accumulator_of(math);
  const Ball result = norm(BallMath(accumulator, call.profile()), differences, call.real(arg::p));
  call.output().ball(0) = cast_ball(result, accumulator, dtype, call.profile());
  return {};
}

Scalar draw_order(Choices& choices) {
  static constexpr std::array<double, 8> orders = {2, 1, 2, infinity, 0, 3, -infinity, 0.5};
  return choices.pick(orders);
}

std::optional<std::vector<Argument>> sample_norm(const Op& op, SampleContext& context) {
  const Scalar order = draw_order(context.choices());
  const ReductionOperand operand{.accepts = is_floating, .nonempty = needs_elements(as_double(order))};
  auto arguments = sample_lanes(op, context, operand);
  if (!arguments) return std::nullopt;
  const DType dtype = context.meta(std::get<ValueId>(arguments->front())).dtype;
  arguments = with_argument(op, *std::move(arguments), order_name(op.schema), order);
  if (op.schema.index_of(arg::dtype) < 0) return arguments;
  return with_argument(op, *std::move(arguments), arg::dtype, dtype);
}

std::optional<std::vector<Argument>> sample_dist(const Op& op, SampleContext& context) {
  const auto self = context.pick(
      [](const Candidate&, const TensorMeta& meta) { return is_floating(meta.dtype) && meta.layout.numel() > 0; });
  if (!self) return std::nullopt;
  const auto other = pick_second(context, *self, [](DType dtype) { return dtype != DType::Bool; }, true);
  return with_defaults(op, {*self, other.value_or(*self), draw_order(context.choices())});
}

OpDef norm_op(std::string_view schema) {
  return {.schema = schema, .infer = infer_norm, .reference = reference_norm, .sample = sample_norm};
}

}  // namespace

std::vector<OpDef> vector_norm_family() {
  return {
      norm_op("linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, "
              "ScalarType? dtype=None) -> Tensor"),
      norm_op("norm.Scalar(Tensor self, Scalar p=2) -> Tensor"),
      norm_op("norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor"),
      norm_op("norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor"),
      norm_op("norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, "
              "ScalarType dtype) -> Tensor"),
      {.schema = "dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
       .infer = infer_dist,
       .reference = reference_dist,
       .sample = sample_dist},
  };
}

}  // namespace parallax
