#include "ops/ball_normalize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/limits.h"
#include "ops/ball_functions.h"
#include "ops/cast.h"
#include "ops/lanes.h"

namespace parallax {
namespace {

// A constant: where rounding modes count, GCC converts this one from a long double wherever it stands in an expression.
constexpr double tiniest = std::numeric_limits<double>::denorm_min();

double finite_reach(const Ball& ball) { return std::isfinite(ball.mid) ? reach(ball) : 0; }

// Whether rounding a value of the ball may have lost more than its last place.
bool may_underflow(const BallMath& math, const Ball& ball) {
  if (!ball.decided() || !std::isfinite(ball.mid) || ball.is_exact()) return false;
  return clearance(ball) < info(math.dtype()).smallest_normal * (1 + 0x1p-40);
}

// A normalized element where x scale or the shift, which are each larger than their sum, may be infinite: where both
// are, it is NaN.
Ball with_overflow(const BallMath& math, Ball result, const Normalized& element, const Ball& scale) {
  if (!result.decided() || is_definite_nan(result)) return result;
  const double operands = finite_reach(element.x) + finite_reach(element.mean);
  const double most = operands * reach(scale) + (element.bias ? finite_reach(*element.bias) : 0);
  const double rounded = most * (1 + 4 * math.profile().unit_roundoff(math.dtype()) + 0x1p-40);
  if (!can_be_infinite(scale) && rounded < info(math.dtype()).max_finite) return result;
  result.may_nan = true;
  result.may_inf = result.may_inf || !is_definite_infinity(result);
  return result;
}

}  // namespace

Ball wider_by(const BallMath& math, const Ball& ball, double error) {
  if (!ball.decided() || !std::isfinite(ball.mid) || error == 0) return ball;
  Ball wider = math.with_error(ball.mid, Inherited(ball), error);
  if (!wider.decided()) return wider;
  wider.may_nan = wider.may_nan || ball.may_nan;
  wider.may_inf = wider.may_inf || ball.may_inf;
  return wider;
}

Ball inverse_deviation(const BallMath& math, const Ball& variance, double eps) {
  const Ball shifted = math.add(variance, math.scalar(eps));
  // By one function, or as the quotient of a root, whose units weigh twice in a quotient's.
  const BallMath by_function = math.as(FunctionKind::Rsqrt);
  const float by_root = 2 * math.as(FunctionKind::Sqrt).function().ulp + math.as(FunctionKind::Division).function().ulp;
  const Ball inverse =
      by_function.monotone(shifted, [](double x) { return 1 / std::sqrt(x); }, 0, infinity, &BallMath::ordinary_error);
  return off_by(by_function, inverse, static_cast<double>(by_root));
}

Ball saved(const BallMath& math, const Ball& ball, DType dtype) {
  if (dtype == math.dtype()) return ball;
  return cast_ball(ball, math.dtype(), dtype, math.profile());
}

Ball normalized(const BallMath& math, const Normalized& element, DType saved_as) {
  const double unit_roundoff = math.profile().unit_roundoff(math.dtype());
  const double operands = reach(element.x) + reach(element.mean);
  // In the second form x scale and mean scale are rounded twice each, where they may cancel. A part of a subnormal is
  // no double, and times the scale it is one again.
  const double apart =
      operands > 0 ? 4 * unit_roundoff * reach(element.x) + 4 * unit_roundoff * reach(element.mean) + tiniest : 0;
  const double saving = std::max(saved(math, element.mean, saved_as).radius - element.mean.radius, 0.0);
  const double off = std::isfinite(apart + saving) ? apart + saving : 0;
  const Ball inverse = saved(math, element.inverse, saved_as);
  const Ball scale = element.weight ? math.mul(inverse, *element.weight) : inverse;
  // x scale and mean scale may underflow too, and flushing does that to the sums they go into.
  const double underflows = operands > 0 ? 4 * math.rounding(0) : 0;
  Ball result = wider_by(math, math.mul(wider_by(math, element.deviation, off), inverse), underflows);
  if (element.weight) {
    result = wider_by(math, math.mul(result, *element.weight), underflows);
    // The scale itself underflows before it meets anything.
    if (may_underflow(math, scale)) result = wider_by(math, result, reach(element.deviation) * math.rounding(0));
  }
  if (element.bias) {
    result = math.add(result, *element.bias);
    // And so is the bias with mean scale taken off it.
    const double bias = reach(*element.bias);
    result = wider_by(math, result, bias > 0 && std::isfinite(bias) ? math.rounding(bias) : 0);
  }
  return with_overflow(math, result, element, scale);
}

Result<DType> parameter_dtype(const Call& call, std::initializer_list<ParameterRef> parameters) {
  const DType input = call.tensor(arg::input).dtype;
  std::optional<DType> dtype;
  for (const ParameterRef parameter : parameters) {
    if (!call.has(parameter)) continue;
    const DType own = call.tensor(parameter).dtype;
    const bool half = input == DType::F16 || input == DType::BF16;
    if (own != dtype.value_or(own) || (own != input && !(half && own == DType::F32))) {
      return refuse("{}: '{}' of {} beside an input of {}", call.op().name,
                    call.op().schema.parameters[static_cast<std::size_t>(call.position(parameter))].name, name(own),
                    name(input));
    }
    dtype = own;
  }
  return dtype.value_or(input);
}

std::vector<Ball> parameter_balls(const ReferenceCall& call, ParameterRef parameter, DType dtype) {
  if (!call.has(parameter)) return {};
  const BallView& view = call.input(parameter);
  return lane_balls(view, elements_of(view.layout), dtype, call.profile());
}

}  // namespace parallax
