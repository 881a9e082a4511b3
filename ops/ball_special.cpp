#include "ops/ball_special.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/limits.h"
#include "ops/ball_functions.h"
#include "ops/special_values.h"

namespace parallax {
namespace {

// What functions of infinities give that are infinite, or NaN where an implementation meets inf / inf or 0 inf on its
// way.
Ball infinite_or_nan(double x) { return {x, 0, true, false, Undecided::No}; }
Ball with_infinities(Ball result, const Ball& x) {
  if (!result.decided()) return result;
  result.may_nan = result.may_nan || x.may_nan || x.may_inf;
  result.may_inf = result.may_inf || x.may_inf;
  return result;
}

// std::lgamma writes a global; this one does not.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

// A negative x goes by the reflection formula, log(pi / |x sin(pi x)|) - lgamma(-x), whose terms cancel:
// implementations are off by units of the terms, not of the result (166 of those in eager's f32 next to -2.7477).
double log_gamma_error(const BallMath& math, double x) {
  const double value = std::fabs(log_gamma(x));
  const double mirrored = x < 0 ? std::fabs(log_gamma(-x)) : 0;
  const double error = math.function_error(value + mirrored) + 0x1p-49 * (value + mirrored);
  return mirrored == 0 ? error : error + math.function_error(mirrored);
}

}  // namespace

Ball ball_erf(const BallMath& math, const Ball& x) {
  return ball_image(math.as(FunctionKind::Erf), x, [](double y) { return std::erf(y); });
}

Ball ball_erfc(const BallMath& math, const Ball& x) {
  return ball_image(math, x, [](double y) { return std::erfc(y); });
}

// Between two of its poles log |gamma| is convex (its second derivative, a sum of squares, is positive), so that an
// interval's larger end is the largest value, and goes as far up from the middle as the least can lie under it.
Ball ball_lgamma(const BallMath& of_any, const Ball& x) {
  const BallMath math = of_any.as(FunctionKind::Gamma);
  if (!x.decided() || is_definite_nan(x)) return x;
  if (is_definite_infinity(x)) return {infinity, 0, x.may_nan, false, Undecided::No};
  const auto has_pole = [](double low, double high) { return low <= 0 && std::floor(std::min(high, 0.0)) >= low; };
  if (has_pole(x.low(), x.high())) {
    if (x.radius != 0 || x.may_inf) return Ball::unknown(Undecided::Unbounded);
    return {infinity, 0, x.may_nan, false, Undecided::No};
  }
  const double mid = log_gamma(x.mid);
  // At 1 and 2: an error in units of 0 is none.
  if (x.is_exact() && mid == 0 && math.function().hits_zeros()) return Ball::exact(0);
  const double highest = std::max(log_gamma(x.low()), log_gamma(x.high()));
  if (x.radius == 0 && std::isinf(mid)) return with_infinities(beyond_double(math, mid), x);
  if (!std::isfinite(highest)) return Ball::unknown(Undecided::Unbounded);
  const double lowest = 2 * mid - highest;
  const double error = std::max(
      {log_gamma_error(math, x.low()), log_gamma_error(math, x.high()), math.function_error(std::fabs(lowest))});
  Ball result = math.with_error(mid, std::max(highest - mid, 0.0), error);
  // Implementations that go through x log(x) overflow a little early.
  result = infinite_from(largest_computed(math) * 0.98, result);
  if (!result.decided()) return result;
  result.may_nan = x.may_nan;
  result.may_inf = result.may_inf || x.may_inf;
  return result;
}

// Eager is 58 units off at -8.3, as the rounding of x^2 under the exponential makes it; 1.6 on the right.
Ball ball_erfcx(const BallMath& math, const Ball& x) {
  const Ball result = ball_image(math, x, [](double y) { return static_cast<double>(scaled_erfc(y)); });
  const double far = std::min(x.low(), 0.0);
  return infinite_from(largest_computed(math) / 8, off_by(math, result, 8 + 2 * far * far));
}

Ball ball_erfinv(const BallMath& math, const Ball& x) {
  const auto inverse = [](double y) {
    return std::fabs(y) < 1 ? static_cast<double>(inverse_erf(y)) : std::fabs(y) == 1 ? y * infinity : nan;
  };
  return ball_image(math, x, inverse, -1, 1);
}

// (1 + erf(x / sqrt 2)) / 2, of which nothing is left in the left tail; see ball_gelu for the error.
Ball ball_ndtr(const BallMath& math, const Ball& x) {
  const auto normal = [](double y) { return std::erfc(-y * std::numbers::sqrt2 / 2) / 2; };
  const Ball result = ball_image(math, x, normal);
  return widened(math, result, math.function_error(1) / 2 + 3 * math.rounding(1));
}

// Eager: 3.1 units.
Ball ball_ndtri(const BallMath& math, const Ball& x) {
  const auto quantile = [](double p) {
    if (p > 0 && p < 1) return static_cast<double>(normal_quantile(p));
    return p == 0 ? -infinity : p == 1 ? infinity : nan;
  };
  return off_by(math, ball_image(math, x, quantile, 0, 1), 6);
}

Ball ball_entr(const BallMath& math, const Ball& x) {
  if (!x.decided() || is_definite_nan(x)) return x;
  Ball result;
  const Ball known = {x.mid, x.radius, false, false, Undecided::No};
  if (x.low() > 0) {
    result = math.neg(math.mul(known, ball_log(math, known)));
  } else if (x.high() < 0) {
    result = Ball::exact(-infinity);
  } else if (x.radius == 0) {
    result = Ball::exact(0);
  } else {
    // It rises from 0 to 1 / e at 1 / e, and falls from there.
    const double last = x.high() > 0 ? -x.high() * std::log(x.high()) : 0;
    const Ball image = ball_of_interval(std::min(last, 0.0), 1 / std::numbers::e);
    if (!image.decided()) return image;
    result = math.with_error(image.mid, image.radius, 2 * math.function_error(reach(image)));
    result.may_inf = result.may_inf || x.low() < 0;
  }
  if (x.may_inf) result = including(result, -infinity);
  return x.may_nan ? including(result, nan) : result;
}

namespace {

// The error of pi / tan(pi x): the remainder of x is exact, but its product with pi is not, which the tangent hands on.
double reflection_error(const BallMath& math, double x) {
  const double angle_error = 4 * math.rounding(std::numbers::pi * std::fabs(std::fmod(x, 1.0)));
  const double tangent = std::fabs(std::tan(std::numbers::pi * std::remainder(x, 1.0)));
  const double quotient = 2 * math.rounding(std::numbers::pi / tangent);
  if (tangent >= 1) {
    const double relative = math.function_error(tangent) / tangent;
    return std::numbers::pi * (relative / tangent + angle_error * (1 + 1 / (tangent * tangent))) + quotient;
  }
  const double error = math.function_error(tangent) + angle_error * (1 + tangent * tangent);
  if (error >= tangent) return infinity;
  return std::numbers::pi * (error / tangent) / (tangent - error) + quotient;
}

}  // namespace

// Implementations step up to about 10 by 1 / x, use the asymptotic series there, and for a negative x subtract
// pi / tan(pi x). Each term and each sum is rounded, the logarithm and the tangent are functions, and the rounding of
// pi x is handed on by the tangent.
Ball ball_digamma(const BallMath& math, const Ball& x, bool zeros_are_positive) {
  if (!x.decided() || is_definite_nan(x)) return x;
  if (is_definite_infinity(x)) return x.mid > 0 ? x : Ball::exact(nan);
  if (x.radius == 0 && x.mid == 0 && !x.may_inf) {
    if (!zeros_are_positive) return infinity_of_either_sign(math, x.may_nan);
    return {-infinity, 0, x.may_nan, false, Undecided::No};
  }
  const double last_pole = std::floor(std::min(x.high(), 0.0));
  // The largest negative number is a pole, and stands for an infinity of unknown sign too.
  if (x.radius == 0 && x.mid < 0 && last_pole == x.mid) return x.may_inf ? infinite_or_nan(infinity) : Ball::exact(nan);
  if (x.low() <= last_pole) return Ball::unknown(Undecided::Unbounded);
  const auto error = [&](double y) {
    const double start = y < 0 ? 1 - y : y;
    double stepped = 0;
    int steps = 0;
    for (double step = start; step < 10; ++step, ++steps) stepped += 1 / step;
    const double logarithm = std::log(std::max(start, 10.0) + 1);
    const double terms =
        math.function_error(logarithm) + (steps + 2) * math.rounding(stepped) + 3 * math.rounding(stepped + logarithm);
    if (y > 0) return terms;
    return terms + reflection_error(math, y);
  };
  // Between two poles it rises.
  const double mid = static_cast<double>(digamma(x.mid));
  const double low = static_cast<double>(digamma(x.low()));
  const double high = static_cast<double>(digamma(x.high()));
  if (x.radius == 0 && std::isinf(mid)) return with_infinities(beyond_double(math, mid), x);
  const double inherited = std::max(high - mid, mid - low);
  Ball result = math.with_error(mid, inherited, std::max(error(x.low()), error(x.high())));
  if (!result.decided()) return result;
  result.may_nan = x.may_nan || x.may_inf;
  result.may_inf = result.may_inf || x.may_inf;
  return result;
}

// Eager: 3.7 units. It multiplies by exp(|x|), which is infinite where the result is a 24th (f32) or a 67th (f64) of
// the largest number.
Ball ball_i0(const BallMath& math, const Ball& x) {
  if (x.decided() && is_definite_infinity(x)) return infinite_or_nan(infinity);
  const auto value = [](double y) {
    return static_cast<double>(scaled_bessel_i(0, y) * std::exp(static_cast<long double>(y)));
  };
  Ball result = infinite_from(largest_computed(math) / 128, off_by(math, ball_image(math, math.abs(x), value), 6));
  return with_infinities(result, x);
}

// Eager: 5.4 units.
Ball ball_i0e(const BallMath& math, const Ball& x) {
  const auto value = [](double y) { return static_cast<double>(scaled_bessel_i(0, y)); };
  return off_by(math, ball_image(math, math.abs(x), value), 8);
}

// Eager: 11.3 units, 14.4 for its special_modified_bessel_i1, and infinities as i0 has them.
Ball ball_i1(const BallMath& math, const Ball& x) {
  if (x.decided() && is_definite_infinity(x)) return with_infinities(infinite_or_nan(x.mid), x);
  const auto value = [](double y) {
    return static_cast<double>(scaled_bessel_i(1, y) * std::exp(std::fabs(static_cast<long double>(y))));
  };
  Ball result = infinite_from(largest_computed(math) / 128, off_by(math, ball_image(math, x, value), 22));
  return with_infinities(result, x);
}

// Eager: 8.6 units. It turns at 1.5, but is nowhere steeper than 1 / 2.
Ball ball_i1e(const BallMath& math, const Ball& x) {
  if (!x.decided() || is_definite_nan(x)) return x;
  if (x.is_exact() && x.mid == 0) return x;
  if (is_definite_infinity(x)) return {0, 0, x.may_nan, false, Undecided::No};
  const auto value = static_cast<double>(scaled_bessel_i(1, x.mid));
  const double most = std::min(std::fabs(value) + x.radius / 2, 0.25);
  Ball result =
      math.with_error(value, x.radius / 2, math.function_error(most) * std::max(1.0, 12.0 / math.function().ulp));
  result.may_nan = x.may_nan;
  return x.may_inf ? including(result, 0) : result;
}

}  // namespace parallax
