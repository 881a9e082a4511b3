// Functions of two balls that are smooth but for a few places: powers, angles, lengths and sums of exponentials.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/limits.h"
#include "ops/ball_flags.h"
#include "ops/ball_functions.h"
#include "ops/ball_pairs.h"

namespace parallax {
namespace {

// glibc documents at most 1 ulp for its double pow, atan2 and hypot, and 2 for exp and log1p: what a centre may be off
// by.
constexpr double libm_error = 0x1p-50;

bool one_number(const Ball& x) { return x.radius == 0; }

struct Range {
  double low;
  double high;
};

// The ball of a function of `math` whose extremes over a box lie at its corners; `overflows` tells whether a result
// that double makes infinite is so in every implementation.
template <class Function>
Ball over_corners(const BallMath& math, const Range& a, const Range& b, Function f, bool overflows) {
  const std::array corners = {f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)};
  const auto [low, high] = std::minmax_element(corners.begin(), corners.end());
  if (*low == *high && std::isinf(*low) && overflows) return Ball::exact(*low);
  if (!std::isfinite(*low) || !std::isfinite(*high)) return Ball::unknown(Undecided::Unbounded);
  const double most = std::max(std::fabs(*low), std::fabs(*high));
  const double mid = *low / 2 + *high / 2;
  const double inherited = *low == *high ? 0 : std::max(*high - mid, mid - *low);
  return math.with_error(*low == *high ? *low : mid, inherited, math.function_error(most) + libm_error * most);
}

// Powers over a box. As exp2(y log2(x)) their error grows with y, by which it multiplies that of the logarithm, and
// with the product, in which it is one of rounding; where it is computed so, no finite result has a product beyond 150.
Ball powers_over(const BallMath& math, const Range& base, const Range& exponent, bool overflows) {
  constexpr double most_product = 150;
  const double y = std::max(std::fabs(exponent.low), std::fabs(exponent.high));
  const double logarithm =
      std::max(std::fabs(std::log2(std::fabs(base.low))), std::fabs(std::log2(std::fabs(base.high))));
  const BallMath power = math.as(FunctionKind::Power, y + std::fmin(y * logarithm, most_product));
  return over_corners(power, base, exponent, [](double x, double n) { return std::pow(x, n); }, overflows);
}

// Whether some integer lies in [low, high].
bool holds_integer(const Range& range) { return std::floor(range.high) >= range.low; }
bool is_integer(const Ball& x) { return one_number(x) && std::trunc(x.mid) == x.mid; }

// Whether the exponent may be 0.5 or -0.5, for which eager takes the square root: -inf has none, but a power.
bool may_be_root(const Ball& exponent) {
  return std::isfinite(exponent.mid) && std::fabs(std::fabs(exponent.mid) - 0.5) <= exponent.radius;
}

// The power of a base and an exponent one of which is infinite.
Ball infinite_pow(const Ball& a, const Ball& b) {
  const bool root = a.mid < 0 && may_be_root(b);
  if (one_number(a) && one_number(b)) return flagged(Ball::exact(std::pow(a.mid, b.mid)), root, false);
  if (is_definite_infinity(a)) {
    if (b.high() < 0) return flagged(Ball::exact(0), root, false);
    return b.low() > 0 && a.mid > 0 ? a : Ball::unknown(Undecided::Unbounded);
  }
  if (reach(a) < 1) return Ball::exact(b.mid > 0 ? 0 : infinity);
  return clearance(a) > 1 ? Ball::exact(b.mid > 0 ? infinity : 0) : Ball::unknown(Undecided::Unbounded);
}

// The power where the base's interval reaches 0 or below and the exponent is one integer.
Ball integer_pow(const BallMath& math, const Ball& a, double n, bool a_zero_is_positive) {
  const bool even = std::fmod(n, 2) == 0;
  if (n > 0 && one_number(a) && a.mid == 0) return Ball::exact(0);
  if (!contains_zero(a) || (n > 0 && !even)) {
    return powers_over(math, {a.low(), a.high()}, {n, n}, math.dtype() != DType::F64);
  }
  if (n > 0) return powers_over(math, {0, reach(a)}, {n, n}, false);
  if (!one_number(a)) return Ball::unknown(Undecided::Unbounded);
  return even ? Ball::exact(infinity) : ball_reciprocal(math, Ball::exact(0), a_zero_is_positive);
}

// The power where the base's interval reaches 0 or below; an exponent that is no integer makes a negative base NaN.
Ball real_pow(const BallMath& math, const Ball& a, const Ball& b, bool a_zero_is_positive) {
  const Range exponent{b.low(), b.high()};
  const bool between_integers = !holds_integer(exponent);
  if (a.high() < 0) return between_integers ? Ball::exact(nan) : Ball::unknown(Undecided::Unbounded);
  if (one_number(a)) {
    if (exponent.low > 0) return Ball::exact(0);
    if (exponent.high >= 0) return Ball::unknown(Undecided::Unbounded);
    // C gives a negative zero's infinity a sign for odd integers only, but eager's reciprocal root for -0.5 too.
    const bool positive = (between_integers && b.mid != -0.5) || a_zero_is_positive;
    return ball_reciprocal(math, Ball::exact(0), positive);
  }
  if (exponent.low <= 0 || (a.low() < 0 && !between_integers)) return Ball::unknown(Undecided::Unbounded);
  return flagged(powers_over(math, {0, a.high()}, exponent, false), a.low() < 0, false);
}

Ball finite_pow(const BallMath& math, const Ball& a, const Ball& b, bool a_zero_is_positive) {
  // What may be NaN as well is not exact, and comes here.
  if (one_number(b) && b.mid == 0) return Ball::exact(1);
  Ball result;
  if (a.low() > 0) {
    result = powers_over(math, {a.low(), a.high()}, {b.low(), b.high()}, math.dtype() != DType::F64);
  } else if (is_integer(b)) {
    result = integer_pow(math, a, b.mid, a_zero_is_positive);
  } else {
    result = real_pow(math, a, b, a_zero_is_positive);
  }
  // Eager computes x^-2 as 1 / (x * x), and the square may overflow.
  const bool square_overflows = b.mid == -2 && reach(a) * reach(a) >= info(math.dtype()).max_finite;
  return square_overflows ? including(result, 0) : result;
}

// From -pi to pi: what is left to say on the branch cut.
Ball any_angle(const BallMath& math) {
  return math.with_error(0, std::numbers::pi, math.function_error(std::numbers::pi));
}
Ball angle(const BallMath& math, double value) {
  return value == 0 ? Ball::exact(0)
                    : math.with_error(value, 0, math.function_error(std::fabs(value)) + libm_error * 4);
}

// The angle of a point with an infinite part.
Ball infinite_atan2(const BallMath& math, const Ball& y, const Ball& x, bool y_zero_is_positive) {
  if (is_definite_infinity(y)) {
    return angle(math, std::atan2(y.mid, is_definite_infinity(x) ? x.mid : 0));
  }
  if (x.mid > 0) return Ball::exact(0);
  if (y.low() > 0 || (one_number(y) && y.mid == 0 && y_zero_is_positive)) return angle(math, std::numbers::pi);
  return y.high() < 0 ? angle(math, -std::numbers::pi) : any_angle(math);
}

// The angle where y's interval has 0 in it and x's reaches 0 or below: on the cut, or at the origin.
Ball atan2_on_the_cut(const BallMath& math, const Ball& y, const Ball& x, bool y_zero_is_positive,
                      bool x_zero_is_positive) {
  if (!one_number(y) || !y_zero_is_positive) return any_angle(math);
  if (x.high() < 0) return angle(math, std::numbers::pi);
  if (one_number(x) && x.mid == 0 && x_zero_is_positive) return Ball::exact(0);
  return math.with_error(std::numbers::pi / 2, std::numbers::pi / 2, math.function_error(std::numbers::pi));
}

// A base of exponentials: the value of base^x and that of log_base(1 + x).
struct Exponentials {
  double (*power)(double x);
  double (*log1p)(double x);
};

constexpr Exponentials natural = {[](double x) { return std::exp(x); }, [](double x) { return std::log1p(x); }};
constexpr Exponentials binary = {[](double x) { return std::exp2(x); },
                                 [](double x) { return std::log1p(x) * std::numbers::log2e; }};

// log(base^a + base^b) = m + log(1 + base^-d), m the larger and d the distance: how eager and all stable
// implementations compute it.
Ball log_of_sum(const BallMath& math, const Ball& a, const Ball& b, const Exponentials& base) {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  if (is_definite_nan(a) || is_definite_nan(b)) return Ball::exact(nan);
  const bool may_nan = a.may_nan || b.may_nan;
  const bool may_inf = a.may_inf || b.may_inf;
  if (a.mid == infinity || b.mid == infinity) {
    return may_inf ? Ball::unknown(Undecided::Unbounded) : flagged(Ball::exact(infinity), may_nan, false);
  }
  const Ball& larger = a.mid >= b.mid ? a : b;
  const Ball& smaller = a.mid >= b.mid ? b : a;
  if (is_definite_infinity(larger))
    return may_inf ? Ball::unknown(Undecided::Unbounded) : flagged(larger, may_nan, false);
  const double distance = larger.mid - smaller.mid;
  // It moves by no more than its operands do.
  const double inherited = std::max(a.radius, b.radius);
  const double term = base.log1p(base.power(-distance));
  const double power = base.power(a.radius + b.radius - distance);
  const double tail = base.log1p(power);
  const double spread = std::isfinite(distance) ? distance + a.radius + b.radius : 0;
  // Each step's error by what it does to the result: the distance's rounding, the power's (log2 has a slope of up to
  // 1.45), the logarithm's and its scaling, the sum's.
  const double error =
      1.5 * (math.rounding(spread) * std::min(power, 1.0) + math.function_error(std::min(power, 1.0))) +
      math.function_error(tail) + math.rounding(tail) + math.rounding(reach(larger) + tail) +
      libm_error * (std::fabs(larger.mid) + 2);
  Ball result = math.with_error(larger.mid + term, inherited, error);
  // An infinity that is negative leaves the other operand.
  if (a.may_inf) result = hull(result, b);
  if (b.may_inf) result = hull(result, a);
  return flagged(result, may_nan, may_inf);
}

// a * log for a logarithm of b: 0 where a is, if b is a number.
Ball times_log(const BallMath& math, const Ball& a, const Ball& b, const Ball& log) {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  if (is_definite_nan(a) || is_definite_nan(b)) return Ball::exact(nan);
  if (a.is_exact() && a.mid == 0) return flagged(Ball::exact(0), b.may_nan, false);
  // The logarithm of 1 is 0 in every implementation.
  const Ball product = math.mul(a, b.is_exact() && log.mid == 0 ? Ball::exact(0) : log);
  return std::isfinite(a.mid) && contains_zero(a) ? including(product, 0) : product;
}

}  // namespace

Ball ball_pow(const BallMath& math, const Ball& a, const Ball& b, bool a_zero_is_positive) {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  // C99: anything to the power of 0 and 1 to any power is 1, NaN included.
  const bool one_possible = (!is_definite_nan(b) && !is_definite_infinity(b) && contains_zero(b)) ||
                            (!is_definite_nan(a) && a.low() <= 1 && a.high() >= 1);
  if (one_number(b) && b.mid == 0 && !b.may_nan && !b.may_inf) return Ball::exact(1);
  // Vectorised powers do not know of NaN as an exponent of 1.
  if (a.is_exact() && a.mid == 1) return {1, 0, can_be_nan(b), false, Undecided::No};
  if (is_definite_nan(a) || is_definite_nan(b)) {
    return one_possible ? Ball{1, 0, true, false, Undecided::No} : Ball::exact(nan);
  }
  const bool infinite = is_definite_infinity(a) || is_definite_infinity(b);
  Ball result = infinite ? infinite_pow(a, b) : finite_pow(math, a, b, a_zero_is_positive);
  if (a.may_inf) {
    if (b.low() < 0) result = including(result, 0);
    // Where what is finite overflows to one infinity, only an even power has no other.
    if (b.high() > 0) result = including(result, infinity);
    if (b.high() > 0 && !(is_integer(b) && std::fmod(b.mid, 2) == 0)) result = including(result, -infinity);
    result = flagged(result, may_be_root(b), false);
  }
  if (b.may_inf) result = including(including(including(result, 0), 1), infinity);
  return flagged(result, a.may_nan || b.may_nan, false);
}

Ball ball_atan2(const BallMath& math, const Ball& y, const Ball& x, bool y_zero_is_positive, bool x_zero_is_positive) {
  if (!y.decided() || !x.decided()) return Ball::unknown(first_undecided(y, x));
  if (is_definite_nan(y) || is_definite_nan(x)) return Ball::exact(nan);
  const bool may_nan = y.may_nan || x.may_nan;
  if (y.may_inf || x.may_inf) return flagged(any_angle(math), may_nan, false);
  Ball result;
  if (is_definite_infinity(y) || is_definite_infinity(x)) {
    result = infinite_atan2(math, y, x, y_zero_is_positive);
  } else if (contains_zero(y) && x.low() <= 0) {
    result = atan2_on_the_cut(math, y, x, y_zero_is_positive, x_zero_is_positive);
  } else if (one_number(y) && y.mid == 0) {
    result = Ball::exact(0);
  } else {
    // The angle grows or falls along each edge of a box that does not touch the cut.
    const auto atan2 = [](double v, double u) { return std::atan2(v, u); };
    result = over_corners(math.as(FunctionKind::Power), {y.low(), y.high()}, {x.low(), x.high()}, atan2, false);
  }
  return flagged(result, may_nan, false);
}

Ball ball_hypot(const BallMath& math, const Ball& a, const Ball& b) {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  const bool may_nan = can_be_nan(a) || can_be_nan(b);
  // C99: an infinite side decides whatever the other is; the square root of the sum of squares has NaN there.
  if (is_definite_infinity(a) || is_definite_infinity(b)) return flagged(Ball::exact(infinity), may_nan, false);
  if (is_definite_nan(a) || is_definite_nan(b)) {
    return a.may_inf || b.may_inf ? Ball::unknown(Undecided::Unbounded) : Ball::exact(nan);
  }
  const bool zero = reach(a) == 0 && reach(b) == 0;
  const auto length = [](double x, double y) { return std::hypot(x, y); };
  const Ball result = zero ? Ball::exact(0)
                           : over_corners(math.as(FunctionKind::Power), {clearance(a), reach(a)},
                                          {clearance(b), reach(b)}, length, false);
  return flagged(result, may_nan, a.may_inf || b.may_inf);
}

Ball ball_logaddexp(const BallMath& math, const Ball& a, const Ball& b) { return log_of_sum(math, a, b, natural); }

Ball ball_logaddexp2(const BallMath& math, const Ball& a, const Ball& b) { return log_of_sum(math, a, b, binary); }

Ball ball_xlogy(const BallMath& math, const Ball& a, const Ball& b) { return times_log(math, a, b, ball_log(math, b)); }

Ball ball_xlog1py(const BallMath& math, const Ball& a, const Ball& b) {
  return times_log(math, a, b, ball_log1p(math, b));
}

Ball ball_ldexp(const BallMath& math, const Ball& a, int64_t n) {
  if (!a.decided() || !std::isfinite(a.mid)) return a;
  // Eager's kernel takes the exponent as a 32-bit integer.
  if (n > INT32_MAX || n < INT32_MIN) return Ball::unknown(Undecided::CastOutOfRange);
  // Twice the exponent range of double goes from any number to an infinity or 0.
  const int shift = static_cast<int>(std::clamp<int64_t>(n, -5000, 5000));
  const double mid = std::ldexp(a.mid, shift);
  if (std::isinf(mid)) {
    return contains_zero(a) ? Ball::unknown(Undecided::Unbounded) : flagged(Ball::exact(mid), a.may_nan, a.may_inf);
  }
  const double radius = std::ldexp(a.radius, shift);
  const bool exact = std::ldexp(mid, -shift) == a.mid && (a.radius == 0 || radius > 0);
  Ball result = math.rounded(mid, radius, exact);
  const DTypeInfo& format = info(math.dtype());
  const double power = std::ldexp(1.0, shift);
  if (power > format.max_finite) result = flagged(result, contains_zero(a), true);
  const double least_power = math.profile().flush_to_zero ? format.smallest_normal : format.smallest_subnormal;
  if (power < least_power && !contains_zero(a)) result = including(result, 0);
  return flagged(result, a.may_nan, a.may_inf);
}

}  // namespace parallax
