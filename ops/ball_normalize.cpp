#include "ops/ball_normalize.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/cast.h"
#include "ops/lanes.h"

namespace parallax {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double magnitude(const Ball& ball) { return std::fabs(ball.mid) + ball.radius; }

Ball widened(const BallMath& math, const Ball& ball, double error) {
  if (!ball.decided() || !std::isfinite(ball.mid) || error == 0) return ball;
  Ball wider = math.with_error(ball.mid, ball.radius, error);
  if (!wider.decided()) return wider;
  wider.may_nan = wider.may_nan || ball.may_nan;
  wider.may_inf = wider.may_inf || ball.may_inf;
  return wider;
}

}  // namespace

Ball inverse_deviation(const BallMath& math, const Ball& variance, double eps) {
  const Ball shifted = math.add(variance, math.scalar(eps));
  return math.monotone(shifted, [](double x) { return 1 / std::sqrt(x); }, 0, infinity, &BallMath::ordinary_error);
}

Ball saved(const BallMath& math, const Ball& ball, DType dtype) {
  if (dtype == math.dtype()) return ball;
  return cast_ball(ball, math.dtype(), dtype, math.profile());
}

Ball normalized(const BallMath& math, const Normalized& element, DType saved_as) {
  const double unit_roundoff = math.profile().unit_roundoff(math.dtype());
  // In the second form x scale and mean scale are rounded twice each, where they may cancel.
  const double apart = 4 * unit_roundoff * (magnitude(element.x) + magnitude(element.mean));
  const double saving = std::max(saved(math, element.mean, saved_as).radius - element.mean.radius, 0.0);
  const double off = std::isfinite(apart + saving) ? apart + saving : 0;
  Ball result = math.mul(widened(math, element.deviation, off), saved(math, element.inverse, saved_as));
  if (element.weight) result = math.mul(result, *element.weight);
  if (!element.bias) return result;
  result = math.add(result, *element.bias);
  // And so is the bias with mean scale taken off it.
  const double bias = magnitude(*element.bias);
  return widened(math, result, bias > 0 && std::isfinite(bias) ? math.rounding(bias) : 0);
}

Result<DType> parameter_dtype(const Call& call, std::initializer_list<int> parameters) {
  const DType input = call.tensor(0).dtype;
  std::optional<DType> dtype;
  for (int i : parameters) {
    if (!call.has(i)) continue;
    const DType own = call.tensor(i).dtype;
    const bool half = input == DType::F16 || input == DType::BF16;
    if (own != dtype.value_or(own) || (own != input && !(half && own == DType::F32))) {
      return refuse("{}: '{}' of {} beside an input of {}", call.op().name,
                    call.op().schema.parameters[static_cast<std::size_t>(i)].name, name(own), name(input));
    }
    dtype = own;
  }
  return dtype.value_or(input);
}

std::vector<Ball> parameter_balls(const ReferenceCall& call, int parameter, DType dtype) {
  if (!call.has(parameter)) return {};
  const BallView& view = call.input(parameter);
  return lane_balls(view, elements_of(view.layout), dtype, call.profile());
}

}  // namespace parallax
