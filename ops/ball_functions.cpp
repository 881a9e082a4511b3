// The functions of one ball: the image of its interval plus the allowed error of an implementation.
#include <algorithm>
#include <cmath>
#include <limits>

#include "ops/ball_math.h"

namespace parallax {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// libm's double functions stay within 4 units in the last place: what the centre itself may be off by.
constexpr double libm_error = 0x1p-50;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double negated_sine(double x) { return -std::sin(x); }

Ball with_flags(Ball ball, const Ball& operand) {
  ball.may_nan = ball.may_nan || operand.may_nan;
  ball.may_inf = ball.may_inf || operand.may_inf;
  return ball;
}

}  // namespace

double BallMath::root_error(double, double most) const {
  if (profile_->root_ulp <= 0.5) return rounding(most);
  const bool half = info(dtype_).unit_roundoff > info(DType::F32).unit_roundoff;  // computed in f32, then rounded
  const double unit = 2 * profile_->unit_roundoff(half ? DType::F32 : dtype_);
  const double root = profile_->root_ulp * std::ldexp(unit, most > 0 ? std::ilogb(most * (1 + 0x1p-50)) : 0);
  return half ? rounding(most) + root : root + underflow_;
}
double BallMath::ordinary_error(double, double most) const { return function_error(most); }

// 1 / (1 + exp(-x)) is 0 where the exponential overflows, although the result is a number just under 1 / max.
double BallMath::sigmoid_error(double least, double most) const {
  return function_error(most) + (least < 2 / largest_ ? 1 / largest_ : 0);
}

Ball BallMath::monotone(const Ball& x, Function f, double domain_low, double domain_high, ErrorOf error) const {
  if (!x.decided() || is_definite_nan(x)) return x;
  const auto at = [&](double exact) {
    const double value = f(exact);
    if (!std::isfinite(value)) return Ball::exact(value);
    return with_error(value, 0, (this->*error)(std::fabs(value), std::fabs(value)));
  };
  Ball result;
  if (is_definite_infinity(x)) {
    result = at(x.mid);
  } else if (x.high() < domain_low || x.low() > domain_high) {
    result = Ball::exact(std::numeric_limits<double>::quiet_NaN());
  } else {
    const double low = std::max(x.low(), domain_low);
    const double high = std::min(x.high(), domain_high);
    const double mid = f(std::clamp(x.mid, low, high));
    const double first = f(low);
    const double last = f(high);
    const double least = std::min(std::fabs(first), std::fabs(last));
    const double most = std::max(std::fabs(first), std::fabs(last));
    const double inherited = std::max(std::fabs(first - mid), std::fabs(last - mid));
    result = with_error(mid, inherited, (this->*error)(least, most) + libm_error * most);
    result.may_nan = x.low() < domain_low || x.high() > domain_high;
  }
  if (x.may_inf) result = hull(hull(result, at(infinity)), at(-infinity));
  if (is_definite_nan(result)) return result;
  result.may_nan = result.may_nan || x.may_nan;
  return result;
}

// |f(m + d) - f(m)| <= min(|d|, |f'(m)||d| + d^2/2), because the derivatives of sine and cosine stay within 1.
Ball BallMath::trigonometric(const Ball& x, Function f, Function derivative) const {
  if (!x.decided() || is_definite_nan(x)) return x;
  if (is_definite_infinity(x)) return Ball::exact(std::numeric_limits<double>::quiet_NaN());
  const double mid = f(x.mid);
  const double curved = std::fabs(derivative(x.mid)) * x.radius + x.radius * x.radius / 2;
  const double inherited = std::min({2.0, x.radius, curved});
  const double most = std::min(1.0, std::fabs(mid) + inherited);
  Ball result = with_error(mid, inherited, function_error(most) + libm_error * most);
  result.may_nan = x.may_nan || x.may_inf;
  return result;
}

Ball BallMath::abs(const Ball& x) const {
  if (!x.decided() || is_definite_nan(x)) return x;
  if (is_definite_infinity(x)) return with_flags(Ball::exact(infinity), x);
  if (x.low() >= 0) return x;
  if (x.high() <= 0) return neg(x);
  return with_flags(ball_of_interval(0, std::max(-x.low(), x.high())), x);
}

Ball BallMath::relu(const Ball& x) const {
  const Ball result = maximum(x, Ball::exact(0));
  if (!result.decided() || !std::isfinite(result.mid) || result.low() >= 0) return result;
  return with_flags(ball_of_interval(0, std::max(0.0, result.high())), result);
}

Ball BallMath::sqrt(const Ball& x) const {
  if (x.is_exact() && std::isfinite(x.mid) && x.mid >= 0) {
    const double root = std::sqrt(x.mid);
    const bool exact = root * root == x.mid && std::fma(root, root, -x.mid) == 0;
    if (exact && holds(root)) return Ball::exact(root);
    return with_error(root, 0, root_error(root, root) + libm_error * root);
  }
  return monotone(x, [](double y) { return std::sqrt(y); }, 0, infinity, &BallMath::root_error);
}

Ball BallMath::exp(const Ball& x) const {
  return monotone(x, [](double y) { return std::exp(y); }, -infinity, infinity, &BallMath::ordinary_error);
}

Ball BallMath::sigmoid(const Ball& x) const {
  return monotone(x, logistic, -infinity, infinity, &BallMath::sigmoid_error);
}

Ball BallMath::tanh(const Ball& x) const {
  return monotone(x, [](double y) { return std::tanh(y); }, -infinity, infinity, &BallMath::ordinary_error);
}

Ball BallMath::acos(const Ball& x) const {
  return monotone(x, [](double y) { return std::acos(y); }, -1, 1, &BallMath::ordinary_error);
}

Ball BallMath::acosh(const Ball& x) const {
  return monotone(x, [](double y) { return std::acosh(y); }, 1, infinity, &BallMath::ordinary_error);
}

Ball BallMath::sin(const Ball& x) const {
  return trigonometric(x, [](double y) { return std::sin(y); }, [](double y) { return std::cos(y); });
}

Ball BallMath::cos(const Ball& x) const {
  return trigonometric(x, [](double y) { return std::cos(y); }, negated_sine);
}

}  // namespace parallax
