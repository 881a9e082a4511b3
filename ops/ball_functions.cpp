// The functions of one ball: the image of its interval plus the allowed error of an implementation.
#include "ops/ball_functions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/limits.h"

namespace parallax {
namespace {

// libm's double functions stay within 4 units in the last place: what the centre itself may be off by.
constexpr double libm_error = 0x1p-50;

constexpr double pi = std::numbers::pi;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double negated_sine(double x) { return -std::sin(x); }

// The part of its radius that a ball deviates by; a function that is nearly straight there keeps it.
double steadiness(const Ball& x) { return x.radius > 0 ? x.spread() / x.radius : 1; }

Ball with_flags(Ball ball, const Ball& operand) {
  ball.may_nan = ball.may_nan || operand.may_nan;
  if (operand.may_inf) ball.may_inf = true;
  return ball;
}

// From about `far` to exactly `end`, which is not 0: the sum of a mid and a radius of so few bits is not rounded. One
// that is rounded up would let the next number over the end in.
Ball ball_that_ends_at(double end, double far) {
  constexpr int bits = 40;
  const double step = std::ldexp(1.0, std::ilogb(end) - bits);
  const double half = std::ceil(std::fabs(end - far) / step) * step / 2;
  return {end + std::copysign(half, far - end), half, false, false, Undecided::No};
}

}  // namespace

double BallMath::root_error(double, double most) const { return ieee_error(FunctionKind::Sqrt, most); }
double BallMath::ordinary_error(double, double most) const { return function_error(most); }

// 1 / (1 + exp(-x)) is 0 where the exponential overflows, although the result is a number just under 1 / max.
double BallMath::sigmoid_error(double least, double most) const {
  return function_error(most) + (least < 2 / largest_ ? 1 / largest_ : 0);
}

// A relative error of 0 is 0: where the result is exactly 0 of an exact 0 or 1, every implementation whose error is in
// units of the result returns it, and so does one of which that was seen.
bool BallMath::keeps_zero(const Ball& x, Function f) const {
  return function_.hits_zeros() && x.is_exact() && (x.mid == 0 || x.mid == 1) && f(x.mid) == 0;
}

// Without what lies beyond the ends of the function, which are rounded as any result is.
Ball BallMath::kept_in_range(const Ball& result, double first, double last) const {
  if (!result.decided() || !std::isfinite(result.mid) || !std::isfinite(first) || !std::isfinite(last)) return result;
  const auto rounded_end = [&](double end) { return holds(end) ? 0 : rounding(std::fabs(end)); };
  const double least = std::min(first, last) - rounded_end(std::min(first, last));
  const double most = std::max(first, last) + rounded_end(std::max(first, last));
  const bool under = result.low() < least;
  const bool over = result.high() > most;
  if (!under && !over) return result;
  const double end = under ? least : most;
  if (under == over || end == 0) {
    return with_flags(ball_of_interval(std::max(result.low(), least), std::min(result.high(), most)), result);
  }
  return with_flags(ball_that_ends_at(end, under ? result.high() : result.low()), result);
}

Ball BallMath::monotone(const Ball& x, Function f, double domain_low, double domain_high, ErrorOf error) const {
  if (!x.decided() || is_definite_nan(x)) return x;
  if (keeps_zero(x, f)) return Ball::exact(0);
  const auto at = [&](double exact) {
    const double value = f(exact);
    if (!std::isfinite(value)) return Ball::exact(value);
    return with_error(value, 0, (this->*error)(std::fabs(value), std::fabs(value)));
  };
  Ball result;
  const double low = std::max(x.low(), domain_low);
  const double high = std::min(x.high(), domain_high);
  const bool is_inside = low == x.low() && high == x.high();
  // A function of libm costs more than all else here: one that is asked once gives three numbers where there is no
  // radius.
  const double first = low <= high ? f(low) : nan;
  const double last = low < high ? f(high) : first;
  if (is_definite_infinity(x)) {
    result = at(x.mid);
  } else if (is_inside && std::isinf(first) && first == last) {
    result = beyond_double(*this, first);
  } else if (low > high) {
    result = Ball::exact(nan);
  } else {
    const double mid = low < high ? f(std::clamp(x.mid, low, high)) : first;
    const double least = std::min(std::fabs(first), std::fabs(last));
    const double most = std::max(std::fabs(first), std::fabs(last));
    const double inherited = std::max(std::fabs(first - mid), std::fabs(last - mid));
    result = with_error(mid, {inherited, inherited * steadiness(x)}, (this->*error)(least, most) + libm_error * most);
    result.may_nan = !is_inside;
  }
  if (x.may_inf && can_be_plus_infinity(x)) result = hull(result, at(infinity));
  if (x.may_inf && can_be_minus_infinity(x)) result = hull(result, at(-infinity));
  if (is_definite_nan(result)) return result;
  if (function_.keeps_range) result = kept_in_range(result, f(domain_low), f(domain_high));
  result.may_nan = result.may_nan || x.may_nan || reach(x) > function_.nan_beyond;
  return result;
}

// |f(m + d) - f(m)| <= min(|d|, |f'(m)||d| + d^2/2), because the derivatives of sine and cosine stay within 1.
Ball BallMath::trigonometric(const Ball& x, Function f, Function derivative) const {
  if (!x.decided() || is_definite_nan(x)) return x;
  if (is_definite_infinity(x)) return Ball::exact(std::numeric_limits<double>::quiet_NaN());
  if (keeps_zero(x, f)) return Ball::exact(0);
  const double mid = f(x.mid);
  const double curved = std::fabs(derivative(x.mid)) * x.radius + x.radius * x.radius / 2;
  const double bound = std::min({2.0, x.radius, curved});
  const Inherited inherited(bound, bound * steadiness(x));
  const double most = std::min(1.0, std::fabs(mid) + bound);
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
  const double low = -flushed_below();
  if (!result.decided() || !std::isfinite(result.mid) || result.low() >= low) return result;
  return with_flags(ball_of_interval(low, std::max(0.0, result.high())), result);
}

Ball BallMath::sqrt(const Ball& x) const {
  if (x.is_exact() && std::isfinite(x.mid) && x.mid >= 0) {
    const double root = std::sqrt(x.mid);
    // Below that the square's error is lost under the subnormals.
    const bool tells = x.mid == 0 || x.mid > 0x1p-960;
    const bool exact = tells && root * root == x.mid && std::fma(root, root, -x.mid) == 0;
    // A root that is a number comes out exact of anything but an approximation.
    if (exact && holds(root) && profile_.error_of(FunctionKind::Sqrt, dtype_).ulp <= 1) return Ball::exact(root);
    return with_error(root, 0, root_error(root, root) + libm_error * root);
  }
  return monotone(x, [](double y) { return std::sqrt(y); }, 0, infinity, &BallMath::root_error);
}

Ball BallMath::exp(const Ball& x) const {
  return as(FunctionKind::Exp, reach(x))
      .monotone(x, [](double y) { return std::exp(y); }, -infinity, infinity, &BallMath::ordinary_error);
}

Ball BallMath::sigmoid(const Ball& x) const {
  // Further out the result is 0 or 1.
  const double farthest = -std::log(info(dtype_).smallest_subnormal);
  return as(FunctionKind::Sigmoid, std::min(reach(x), farthest))
      .monotone(x, logistic, -infinity, infinity, &BallMath::sigmoid_error);
}

Ball BallMath::tanh(const Ball& x) const {
  return as(FunctionKind::Tanh)
      .monotone(x, [](double y) { return std::tanh(y); }, -infinity, infinity, &BallMath::ordinary_error);
}

Ball BallMath::acos(const Ball& x) const {
  return as(FunctionKind::Acos).monotone(x, [](double y) { return std::acos(y); }, -1, 1, &BallMath::ordinary_error);
}

Ball BallMath::acosh(const Ball& x) const {
  return as(FunctionKind::Acosh)
      .monotone(x, [](double y) { return std::acosh(y); }, 1, infinity, &BallMath::ordinary_error);
}

Ball BallMath::sin(const Ball& x) const {
  return as(FunctionKind::Sin, reach(x))
      .trigonometric(x, [](double y) { return std::sin(y); }, [](double y) { return std::cos(y); });
}

Ball BallMath::cos(const Ball& x) const {
  return as(FunctionKind::Cos, reach(x)).trigonometric(x, [](double y) { return std::cos(y); }, negated_sine);
}

namespace {

// What else `x` may be than its finite values, as a function of an infinity makes it.
Ball with_infinities(const Ball& result, const Ball& x, double at_minus, double at_plus) {
  Ball all = result;
  if (x.may_inf && can_be_plus_infinity(x)) all = including(all, at_plus);
  if (x.may_inf && can_be_minus_infinity(x)) all = including(all, at_minus);
  if (!all.decided() || is_definite_nan(all)) return all;
  all.may_nan = all.may_nan || x.may_nan;
  return all;
}

// Inside its ends by the least that a double can be: implementations carry no more.
double inner(double end, double towards) { return std::nextafter(end, towards); }

Ball step(const BallMath& math, const Ball& x, BallMath::Function f) {
  if (!x.decided() || !std::isfinite(x.mid)) return x;
  const double low = f(x.low());
  const double high = f(x.high());
  if (!std::isfinite(low) || !std::isfinite(high)) return Ball::unknown(Undecided::Unbounded);
  // An integer that the dtype does not hold is rounded where it is stored.
  if (low == high) return with_flags(math.rounded(low, 0, true), x);
  const Ball image = ball_of_interval(low, high);
  const bool all_held = std::max(-low, high) <= std::ldexp(1.0, info(math.dtype()).precision);
  return with_flags(all_held ? image : math.rounded(image.mid, image.radius, false), x);
}

IntegerBall unsure(Undecided reason = Undecided::InexactCompare) { return {0, reason}; }

}  // namespace

Ball ball_image(const BallMath& math, const Ball& x, BallMath::Function f, double low, double high) {
  const bool finite = x.decided() && std::isfinite(x.mid);
  const bool pole_low = finite && x.low() <= low && x.high() >= low && std::isinf(f(low));
  const bool pole_high = finite && x.high() >= high && x.low() <= high && std::isinf(f(high));
  if (!pole_low && !pole_high) return math.monotone(x, f, low, high, &BallMath::ordinary_error);
  const bool leaves = x.low() < low || x.high() > high;
  const double first = pole_low ? inner(low, high) : low;
  const double last = pole_high ? inner(high, low) : high;
  Ball result;
  if (x.high() < first || x.low() > last) {
    result = Ball::exact(f(pole_low ? low : high));
    result.may_nan = leaves;
  } else {
    const double at_low = f(std::max(x.low(), first));
    const double at_high = f(std::min(x.high(), last));
    const double most = std::max(std::fabs(at_low), std::fabs(at_high));
    const Ball image = ball_of_interval(std::min(at_low, at_high), std::max(at_low, at_high));
    result = math.with_error(image.mid, image.radius, math.function_error(most) + libm_error * most);
    result.may_nan = leaves;
    result.may_inf = true;
  }
  return with_infinities(result, x, f(-infinity), f(infinity));
}

Ball ball_image(const BallMath& math, const Ball& x, BallMath::Function f) {
  return math.monotone(x, f, -infinity, infinity, &BallMath::ordinary_error);
}

Ball widened(const BallMath& math, const Ball& ball, double by) {
  if (!ball.decided() || !std::isfinite(ball.mid)) return ball;
  const Ball wider = math.with_error(ball.mid, ball.radius, by);
  return wider.decided() ? with_flags(wider, ball) : wider;
}

Ball off_by(const BallMath& math, const Ball& ball, double units) {
  // A zero that every function keeps, or beyond_double().
  if (ball.radius == 0 && (ball.may_inf || ball.mid == 0)) return ball;
  const double factor = units / math.function().ulp - 1;
  return factor > 0 ? widened(math, ball, factor * math.function_error(reach(ball))) : ball;
}

Ball beyond_double(const BallMath& math, double infinite) {
  if (math.dtype() != DType::F64) return Ball::exact(infinite);
  return {std::copysign(info(math.dtype()).max_finite, infinite), 0, false, true, Undecided::No};
}

Ball infinity_of_either_sign(const BallMath& math, bool may_nan) {
  return {info(math.dtype()).max_finite, 0, may_nan, true, Undecided::No};
}

double largest_computed(const BallMath& math) {
  return std::max(info(math.dtype()).max_finite, info(DType::F32).max_finite);
}

Ball infinite_from(double least, Ball result) {
  if (std::isfinite(result.mid) && reach(result) >= least) result.may_inf = true;
  return result;
}

Ball ball_exp2(const BallMath& math, const Ball& x) {
  return ball_image(math.as(FunctionKind::Exp2, reach(x)), x, [](double y) { return std::exp2(y); });
}

Ball ball_expm1(const BallMath& math, const Ball& x) {
  return ball_image(math.as(FunctionKind::Expm1, reach(x)), x, [](double y) { return std::expm1(y); });
}

Ball ball_log(const BallMath& math, const Ball& x) {
  return ball_image(math.as(FunctionKind::Log), x, [](double y) { return std::log(y); }, 0, infinity);
}

Ball ball_log2(const BallMath& math, const Ball& x) {
  return ball_image(math.as(FunctionKind::Log2), x, [](double y) { return std::log2(y); }, 0, infinity);
}

Ball ball_log10(const BallMath& math, const Ball& x) {
  return ball_image(math.as(FunctionKind::Log10), x, [](double y) { return std::log10(y); }, 0, infinity);
}

Ball ball_log1p(const BallMath& math, const Ball& x) {
  return ball_image(math.as(FunctionKind::Log1p), x, [](double y) { return std::log1p(y); }, -1, infinity);
}

Ball ball_reciprocal(const BallMath& math, const Ball& x, bool zeros_are_positive) {
  if (x.decided() && x.mid == 0 && x.radius == 0 && !x.may_inf) {
    if (!zeros_are_positive) return infinity_of_either_sign(math, x.may_nan);
    return {infinity, 0, x.may_nan, false, Undecided::No};
  }
  return math.div(Ball::exact(1), x);
}

Ball ball_rsqrt(const BallMath& math, const Ball& x, bool zeros_are_positive) {
  if (x.decided() && std::isfinite(x.mid) && x.high() == 0 && !zeros_are_positive) {
    // What lies below the zero is outside the domain.
    const Ball infinite = infinity_of_either_sign(math, x.may_nan || x.radius > 0 || can_be_minus_infinity(x));
    return can_be_plus_infinity(x) ? including(infinite, 0) : infinite;
  }
  // Adding 0 makes a negative zero positive.
  const BallMath rsqrt = math.as(FunctionKind::Rsqrt);
  return ball_image(rsqrt, x, [](double y) { return 1 / std::sqrt(y + 0.0); }, 0, infinity);
}

Ball ball_tan(const BallMath& math, const Ball& x) {
  // Between two poles it is monotone. The ends are moved outward by more than the division by pi is off.
  const double margin = std::fabs(x.mid) * 0x1p-50;
  const auto branch = [](double y) { return std::floor(y / pi + 0.5); };
  const bool open = x.decided() && std::isfinite(x.mid) && x.radius > 0 &&
                    (std::fabs(x.mid) > 0x1p45 || branch(x.low() - margin) != branch(x.high() + margin));
  if (open) return Ball::unknown(Undecided::Unbounded);
  return ball_image(math.as(FunctionKind::Tan, reach(x)), x, [](double y) { return std::tan(y); });
}

Ball ball_asin(const BallMath& math, const Ball& x) {
  return ball_image(math.as(FunctionKind::Asin), x, [](double y) { return std::asin(y); }, -1, 1);
}

Ball ball_atan(const BallMath& math, const Ball& x) {
  return ball_image(math.as(FunctionKind::Atan), x, [](double y) { return std::atan(y); });
}

// SLEEF's sinh and cosh are infinite from 89 (f32) and 709 (f64) on, where the result is 0.66 and 0.23 of the largest
// number.
Ball ball_sinh(const BallMath& math, const Ball& x) {
  const Ball result = ball_image(math.as(FunctionKind::Sinh, reach(x)), x, [](double y) { return std::sinh(y); });
  return infinite_from(largest_computed(math) / 8, result);
}

Ball ball_cosh(const BallMath& math, const Ball& x) {
  const Ball result =
      ball_image(math.as(FunctionKind::Cosh, reach(x)), math.abs(x), [](double y) { return std::cosh(y); });
  return infinite_from(largest_computed(math) / 8, result);
}

Ball ball_asinh(const BallMath& math, const Ball& x) {
  return ball_image(math.as(FunctionKind::Asinh), x, [](double y) { return std::asinh(y); });
}

Ball ball_atanh(const BallMath& math, const Ball& x) {
  return ball_image(math.as(FunctionKind::Atanh), x, [](double y) { return std::atanh(y); }, -1, 1);
}

Ball ball_sinc(const BallMath& math, const Ball& x) {
  if (!x.decided()) return x;
  if (x.mid == 0 && x.radius == 0) return with_infinities(Ball::exact(1), x, nan, nan);
  return ball_sine_quotient(math, math.mul(math.scalar(pi), x));
}

Ball ball_sine_quotient(const BallMath& math, const Ball& x) {
  if (!x.decided()) return x;
  if (x.mid == 0 && x.radius == 0) return with_infinities(Ball::exact(1), x, nan, nan);
  if (std::isfinite(x.mid) && contains_zero(x)) {
    // It falls from 1 to its first minimum, -0.2172336… at 4.4934, and stays above that.
    const double far = reach(x);
    const Ball image = ball_of_interval(far < 3 ? std::sin(far) / far : -0.21724, 1);
    // A sine of the smallest number is off by as many of it as the profile has units, and flushed it leaves 0 / 0.
    if (math.profile().flush_to_zero) return Ball::unknown(Undecided::Unbounded);
    const double of_subnormals = math.as(FunctionKind::Sin).function_error(0) / info(math.dtype()).smallest_subnormal;
    const double error = 2 * math.function_error(1) + of_subnormals;
    return with_infinities(math.with_error(image.mid, image.radius, error), x, nan, nan);
  }
  return math.div(math.sin(x), x);
}

Ball ball_floor(const BallMath& math, const Ball& x) {
  return step(math, x, [](double y) { return std::floor(y); });
}

Ball ball_ceil(const BallMath& math, const Ball& x) {
  return step(math, x, [](double y) { return std::ceil(y); });
}

Ball ball_trunc(const BallMath& math, const Ball& x) {
  return step(math, x, [](double y) { return std::trunc(y); });
}

Ball ball_round(const BallMath& math, const Ball& x) {
  return step(math, x, [](double y) { return std::nearbyint(y); });
}

Ball ball_frac(const BallMath& math, const Ball& x) {
  if (!x.decided() || is_definite_nan(x)) return x;
  if (is_definite_infinity(x)) return Ball::exact(nan);
  const double whole = std::trunc(x.low());
  Ball result;
  if (whole == std::trunc(x.high())) {
    // Both numbers are multiples of x's last place, and so is their smaller difference: it is exact.
    result = math.rounded(x.mid - whole, x.radius, true);
  } else {
    result = ball_of_interval(x.low() < 0 ? -1 : 0, x.high() > 0 ? 1 : 0);
  }
  return with_infinities(result, x, nan, nan);
}

Ball ball_sign(const BallMath& math, const Ball& x) {
  if (!x.decided()) return x;
  const auto sign = [](double y) { return static_cast<double>((y > 0) - (y < 0)); };
  Ball result = ball_of_interval(sign(x.low()), sign(x.high()));
  if (x.may_inf) result = including(including(result, 1), -1);
  if (!x.may_nan && !is_definite_nan(x)) return result;
  result = including(result, 0);
  result.may_nan = math.allows(Form::SignOfNan);
  return result;
}

IntegerBall ball_is_nan(const Ball& x) {
  if (!x.decided()) return unsure(x.undecided);
  if (is_definite_nan(x)) return {1, Undecided::No};
  return x.may_nan ? unsure() : IntegerBall{0, Undecided::No};
}

IntegerBall ball_is_infinite(const Ball& x) {
  if (!x.decided()) return unsure(x.undecided);
  if (is_definite_infinity(x)) return x.may_nan ? unsure() : IntegerBall{1, Undecided::No};
  return x.may_inf ? unsure() : IntegerBall{0, Undecided::No};
}

IntegerBall ball_is_infinity(const Ball& x, int sign) {
  if (!is_definite_infinity(x)) return ball_is_infinite(x);
  if (x.may_inf) return unsure();
  return (x.mid > 0) == (sign > 0) ? ball_is_infinite(x) : IntegerBall{0, Undecided::No};
}

}  // namespace parallax
