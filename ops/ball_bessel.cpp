#include "ops/ball_bessel.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

#include "core/limits.h"
#include "ops/ball_functions.h"
#include "ops/bessel_values.h"

namespace parallax {
namespace {

// What a method itself is off by, whatever its arithmetic: `error` for arguments up to `until`.
struct MethodError {
  double until;
  double error;
};

double method_error(std::span<const MethodError> steps, double low, double high) {
  double worst = 0;
  double from = 0;
  for (const MethodError& step : steps) {
    if (low <= step.until && high >= from) worst = std::max(worst, step.error);
    from = step.until;
  }
  return worst;
}

// Eager's rational approximations of J and Y up to 5, and its asymptotic ones from there, are good to these, the worst
// of the four functions in f64: 8.7e-7 just over 5, 1.2e-8 under it, falling on both sides.
constexpr std::array bessel_method = {
    MethodError{1.5, 0},      MethodError{2, 8e-14},  MethodError{2.5, 2e-12}, MethodError{3, 2e-11},
    MethodError{3.5, 3e-10},  MethodError{4, 2.5e-9}, MethodError{4.5, 1e-8},  MethodError{5, 4e-8},
    MethodError{5.2, 1.3e-6}, MethodError{5.5, 1e-6}, MethodError{6, 6e-7},    MethodError{7, 2.5e-7},
    MethodError{8, 6e-8},     MethodError{10, 1e-8},  MethodError{12, 8e-10},  MethodError{15, 8e-11},
    MethodError{20, 4e-12},   MethodError{25, 6e-14}, MethodError{50, 1e-15},  MethodError{infinity, 0}};

// Eager's Ai is a series up to 2.09 on the left, and asymptotic from there: 2.8e-6 off at first.
constexpr std::array airy_method = {MethodError{2, 0},        MethodError{2.5, 6e-6},    MethodError{3, 6e-7},
                                    MethodError{3.5, 1.5e-8}, MethodError{4, 5e-10},     MethodError{4.5, 7e-11},
                                    MethodError{5, 4e-12},    MethodError{5.5, 1.2e-13}, MethodError{6, 4e-14},
                                    MethodError{infinity, 0}};

double unit_roundoff(const BallMath& math) { return math.profile().unit_roundoff(math.dtype()); }

// The amplitude of the waves of J and Y: Abramowitz and Stegun 9.2.28, whose first term is over the rest.
double amplitude(double x) { return x < 0.5 ? 1 : std::min(1.0, std::sqrt(2 / std::numbers::pi / x)); }

// A result of waves, `slope` at its steepest around x. Next to the units of the result, the rounding of the phase is an
// error of the amplitude: eager is within 3 roundings of x times that, where its method is good.
Ball wave(const BallMath& math, const Ball& x, double value, double slope) {
  const double low = clearance(x);
  const double high = reach(x);
  const double inherited = x.radius * slope;
  const double most = std::fabs(value) + inherited;
  const double phase = 6 * unit_roundoff(math) * high;
  const double waves = phase < 1 ? phase * amplitude(high) : 2 * amplitude(low);
  // The factors of the rational approximation multiply what the subnormals lose by up to 722.
  const double lost = 1024 * info(math.dtype()).smallest_subnormal;
  const double error = 1.5 * math.function_error(most) + waves + lost + method_error(bessel_method, low, high);
  return infinite_from(largest_computed(math) / 8, math.with_error(value, inherited, error));
}

// What functions that vanish at the infinities give there: some go by way of inf - inf.
Ball vanished_or_nan() { return {0, 0, true, false, Undecided::No}; }

Ball with_infinities(Ball result, const Ball& x) {
  if (!result.decided()) return result;
  if (x.may_inf) result = hull(result, vanished_or_nan());
  result.may_nan = result.may_nan || x.may_nan;
  return result;
}

Ball first_kind(const BallMath& math, const Ball& x, long double (*function)(long double), double slope) {
  if (!x.decided() || is_definite_nan(x)) return x;
  if (is_definite_infinity(x)) return vanished_or_nan();
  if (x.mid == 0 && x.radius == 0) return with_infinities(Ball::exact(static_cast<double>(function(0))), x);
  return with_infinities(wave(math, x, static_cast<double>(function(x.mid)), slope), x);
}

// `slope_from`: the steepest from x on to the right.
Ball second_kind(const BallMath& math, const Ball& x, long double (*function)(long double),
                 double (*slope_from)(double x)) {
  const auto again = [&](const Ball& y) { return second_kind(math, y, function, slope_from); };
  if (is_infinity_of_open_sign(x)) return by_sign(x, again);
  if (!x.decided() || is_definite_nan(x)) return x;
  if (is_definite_infinity(x)) return x.mid > 0 ? vanished_or_nan() : Ball::exact(nan);
  if (x.high() < 0) return x.may_inf ? vanished_or_nan() : Ball::exact(nan);
  if (x.low() <= 0) {
    if (x.radius != 0 || x.may_inf) return Ball::unknown(Undecided::Unbounded);
    return {-infinity, 0, x.may_nan, false, Undecided::No};
  }
  const long double value = function(x.mid);
  const double slope = x.radius == 0 ? 0 : slope_from(x.low());
  if (x.radius == 0 && std::isinf(static_cast<double>(value))) {
    return with_infinities(beyond_double(math, -infinity), x);
  }
  return with_infinities(wave(math, x, static_cast<double>(value), slope), x);
}

// sqrt(J^2 + Y^2) falls all the way (Watson, 13.74), and so bounds what lies to the right of x.
double modulus0(double x) { return std::hypot(::j0(x), ::y0(x)) * (1 + 0x1p-40); }
double modulus1(double x) { return std::hypot(::j1(x), ::y1(x)) * (1 + 0x1p-40); }

template <int order>
double scaled(double x) {
  return static_cast<double>(scaled_bessel_k(order, x));
}

// Under 2^-16000 long double has nothing left, nor has double under 2^-1074.
template <int order>
double second_modified(double x) {
  if (x > 10000) return 0;
  return static_cast<double>(scaled_bessel_k(order, x) * std::exp(-static_cast<long double>(x)));
}

// A function that falls from infinity at 0 to 0, and that is NaN on the left.
Ball falling(const BallMath& math, const Ball& x, BallMath::Function function, double units) {
  const auto again = [&](const Ball& y) { return falling(math, y, function, units); };
  if (is_infinity_of_open_sign(x)) return by_sign(x, again);
  if (x.decided() && is_definite_infinity(x)) {
    Ball limit = Ball::exact(x.mid > 0 ? 0 : nan);
    limit.may_nan = x.may_nan;
    return limit;
  }
  // 1 / x overflows where the smallest numbers have the largest reciprocals.
  Ball finite = x;
  finite.may_inf = false;
  Ball result = off_by(math, ball_image(math, finite, function, 0, infinity), units);
  // The logarithm of x / 2, of which subnormals lose a bit, and the smallest all.
  const double subnormal = info(math.dtype()).smallest_subnormal;
  if (x.decided() && x.low() > 0) result = widened(math, result, 2 * subnormal / x.low());
  result = infinite_from(largest_computed(math) / 8, result);
  if (x.decided() && x.low() < 2 * subnormal && x.high() > 0) {
    result.may_nan = true;
    result.may_inf = true;
  }
  if (!x.may_inf || !result.decided()) return result;
  result = including(result, 0);
  result.may_nan = true;
  return result;
}

}  // namespace

// |J1| < 0.582, and |J0'| is that.
Ball ball_bessel_j0(const BallMath& math, const Ball& x) { return first_kind(math, x, ::j0l, 0.59); }
// |J1'| <= 1/2.
Ball ball_bessel_j1(const BallMath& math, const Ball& x) { return first_kind(math, x, ::j1l, 0.5); }
// Y0' = -Y1.
Ball ball_bessel_y0(const BallMath& math, const Ball& x) { return second_kind(math, x, ::y0l, modulus1); }
// Y1' = Y0 - Y1 / x.
Ball ball_bessel_y1(const BallMath& math, const Ball& x) {
  return second_kind(math, x, ::y1l, [](double y) { return modulus0(y) + modulus1(y) / y; });
}

// Eager: 8.0, 3.9, 8.5 and 3.8 units, most between 1/2 and 2, where K0 is a series with a logarithm.
Ball ball_bessel_k0(const BallMath& math, const Ball& x) { return falling(math, x, second_modified<0>, 12); }
Ball ball_bessel_k1(const BallMath& math, const Ball& x) { return falling(math, x, second_modified<1>, 8); }
Ball ball_scaled_bessel_k0(const BallMath& math, const Ball& x) { return falling(math, x, scaled<0>, 14); }
Ball ball_scaled_bessel_k1(const BallMath& math, const Ball& x) { return falling(math, x, scaled<1>, 8); }

Ball ball_spherical_bessel_j0(const BallMath& math, const Ball& x) {
  if (x.decided() && is_definite_infinity(x)) return {0, 0, x.may_nan, false, Undecided::No};
  Ball finite = x;
  finite.may_inf = false;
  const Ball result = ball_sine_quotient(math, finite);
  return x.may_inf ? including(result, 0) : result;
}

// On the right, exp(-2/3 x^(3/2)) hands on the rounding of its argument (eager: 3.2 roundings of that times the
// result), and up to 2.09 eager's series cancels (3.6 roundings of 1). On the left it is a wave with the phase 2/3
// |x|^(3/2), and eager within one rounding of |x|^(3/2) times its amplitude.
Ball ball_airy_ai(const BallMath& math, const Ball& x) {
  if (!x.decided() || is_definite_nan(x)) return x;
  if (is_definite_infinity(x)) return vanished_or_nan();
  // Abramowitz and Stegun 10.4.60 and its derivative, 10.4.62, with room for the next terms near 0.
  const auto amplitude_at = [](double y) { return 0.5643 / std::sqrt(std::sqrt(std::max(y, 1.0))); };
  const double low = x.low();
  const double high = x.high();
  const double unit = unit_roundoff(math);
  const double far = std::max(0.0, -low);
  const double near = std::max(0.0, -high);
  if (far > 1e8) {
    const double most = std::max(amplitude_at(near), 0.54);
    Ball result = math.with_error(0, near > 1 ? amplitude_at(near) : most, 2 * unit);
    // The phase itself overflows, and has no sine.
    result.may_nan = std::pow(far, 1.5) > largest_computed(math) / 8;
    return with_infinities(result, x);
  }
  const auto at = [](double y) { return y > 200 ? 0 : static_cast<double>(airy_ai(y)); };
  const double value = at(x.mid);
  double inherited = 0;
  if (low >= -1) {
    // It falls from -1.0188 on.
    inherited = x.radius == 0 ? 0 : std::max(at(low) - value, value - at(high));
  } else {
    inherited = x.radius * (0.3 + 0.6 * std::sqrt(std::sqrt(far)));
  }
  const double most = std::fabs(value) + inherited;
  double error = math.function_error(most);
  if (high > 0) error += 6 * unit * most * 2 / 3 * std::pow(high, 1.5);
  if (low < 2.2 && high > 0) error += 6 * unit;
  // Eager divides by a multiple of exp(2/3 x^(3/2)), which overflows before its reciprocal vanishes.
  if (high > 0 && most < 16 / largest_computed(math)) error += 16 / largest_computed(math);
  if (low < 0) {
    const double phase = 3 * unit * std::pow(far, 1.5);
    error += (phase < 1 ? phase : 2) * amplitude_at(near) + method_error(airy_method, near, far);
  }
  return with_infinities(math.with_error(value, inherited, error), x);
}

}  // namespace parallax
