#include "ops/ball_zeta.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/limits.h"
#include "ops/ball_functions.h"
#include "ops/ball_special.h"
#include "ops/zeta_values.h"

namespace parallax {
namespace {

// As many terms at negative q are added one by one.
constexpr double most_negative_terms = 4096;

double unit_roundoff(const BallMath& math) { return math.profile().unit_roundoff(math.dtype()); }

// As many terms at least are added before Euler and Maclaurin's tail.
constexpr int steps = 10;

// The factor of the last power that the tail begins with; most at the least s and the largest q.
double tail_factor(double s, double q) { return (q + steps) / (s - 1); }

// What an implementation's terms and their sum are off by, for q > 0. Each step to q + k rounds once, which the power
// multiplies by s; the power, the sum and, from the tenth term on, Euler and Maclaurin's tail are a few roundings each
// (eager: at most 7.2 roundings of the result for s up to 20, 29 at s = 47).
double zeta_error(const BallMath& math, double s, double q, double factor, double value) {
  double roundings = 8 * value;
  double rest = value;
  for (int k = 0; k < steps; ++k) {
    const double term = std::min(rest, std::pow(q + k, -s));
    rest -= term;
    roundings += s * k * term;
  }
  // Term k of the tail is a power, which may be subnormal, times s (s + 1) … (s + 2 k) / (2 pi)^2k. Four of them count
  // where the powers are that small. The tail itself begins with a power times `factor`.
  const double subnormal = info(math.dtype()).smallest_subnormal;
  const double tail = 2 * s * std::pow(s / (2 * std::numbers::pi), 8) + factor;
  const double lost = std::min(value, subnormal * (32 + tail));
  return unit_roundoff(math) * (roundings + s * steps * rest) + math.function_error(value) + lost;
}

// For a negative q that is no integer, and s an integer: the terms change their sign with an odd s, and cancel.
Ball zeta_of_negative(const BallMath& math, double s, double q) {
  const double steps = std::ceil(-q);
  if (steps > most_negative_terms) return Ball::unknown(Undecided::Unbounded);
  long double sum = 0;
  double magnitude = 0;
  double roundings = 0;
  for (int k = 0; k < static_cast<int>(steps); ++k) {
    const long double term = std::pow(static_cast<long double>(q) + k, static_cast<long double>(-s));
    sum += term;
    magnitude += static_cast<double>(std::fabs(term));
    roundings += s * k * static_cast<double>(std::fabs(term));
  }
  const long double first = static_cast<long double>(q) + steps;
  const long double right = hurwitz_zeta(s, first);
  const auto rest = static_cast<double>(right);
  // q + k, and so the first positive term, is off by as many roundings of |q| as there were steps.
  const double shift = unit_roundoff(math) * (steps * std::fabs(q) + 1);
  const double slope = s * static_cast<double>(hurwitz_zeta(s + 1, std::max(first - shift, first / 2)));
  const double error = unit_roundoff(math) * (roundings + (steps + 8) * (magnitude + rest)) + shift * slope;
  const double total = static_cast<double>(sum + right);
  return math.with_error(
      total, 0,
      error + zeta_error(math, s, static_cast<double>(first), tail_factor(s, static_cast<double>(first)), rest) +
          0x1p-53 * magnitude);
}

// Powers that have vanished, times the infinite powers of s, are NaN.
Ball vanishing_is_nan(const BallMath& math, Ball result, double least) {
  result.may_nan = least < info(math.dtype()).smallest_subnormal;
  return result;
}

// The image of a box on the right of 1 and 0. The first term is monotone in both, and the sum of the others, from
// q + 1 > 1 on, falls in both.
Ball zeta_of_box(const BallMath& math, const Ball& s, const Ball& q) {
  const auto value = [](double a, double b) { return static_cast<double>(hurwitz_zeta(a, b)); };
  if (s.radius == 0 && q.radius == 0) {
    const double centre = value(s.mid, q.mid);
    if (std::isinf(centre)) return beyond_double(math, infinity);
    return vanishing_is_nan(
        math, math.with_error(centre, 0, zeta_error(math, s.mid, q.mid, tail_factor(s.mid, q.mid), centre)), centre);
  }
  const auto [least, most] = std::minmax({std::pow(q.low(), -s.low()), std::pow(q.low(), -s.high()),
                                          std::pow(q.high(), -s.low()), std::pow(q.high(), -s.high())});
  const double low = least + value(s.high(), q.high() + 1);
  const double high = most + value(s.low(), q.low() + 1);
  if (!std::isfinite(high)) return Ball::unknown(Undecided::Unbounded);
  const Ball image = ball_of_interval(low, high);
  // The ends of the box are rounded themselves, q's once more where 1 is added: powers of them are that much off.
  const double logarithm = std::max(std::fabs(std::log(q.low())), std::log(q.high() + 1));
  const double ends = 0x1p-50 + 0x1p-52 * s.high() * (2 + logarithm);
  const double error = zeta_error(math, s.high(), q.low(), tail_factor(s.low(), q.high()), high) + ends * high;
  return vanishing_is_nan(math, math.with_error(image.mid, image.radius, error), low);
}

Ball also_nan(Ball ball, bool may_nan) {
  ball.may_nan = ball.may_nan || may_nan;
  return ball;
}

// Six steps of 1 / x^2, and the asymptotic series from there, which some end before the term -1 / (30 x^9).
Ball trigamma_right(const BallMath& math, const Ball& x) {
  const auto at = [](double y) { return static_cast<double>(hurwitz_zeta(2, y)); };
  const double value = at(x.mid);
  const double most = at(x.low());
  const double inherited = x.radius == 0 ? 0 : std::max(most - value, value - at(x.high()));
  const double truncated = 1 / (30 * std::pow(x.low() + 6, 9));
  return math.with_error(value, inherited, math.function_error(most) + 8 * unit_roundoff(math) * most + truncated);
}

// The way to the left: pi^2 / sin(pi x)^2 - trigamma(1 - x).
Ball trigamma_left(const BallMath& math, const Ball& x) {
  const Ball sine = math.sin(math.mul(math.scalar(std::numbers::pi), x));
  // A pole in the interval, or as near as the rounding of pi x.
  if (contains_zero(sine)) return Ball::unknown(Undecided::Unbounded);
  const Ball square = math.scalar(std::numbers::pi * std::numbers::pi);
  const Ball quotient = math.div(widened(math, square, 2 * math.rounding(square.mid)), math.mul_same(sine));
  return math.sub(quotient, trigamma_right(math, math.sub(Ball::exact(1), x)));
}

Ball trigamma(const BallMath& math, const Ball& x) {
  if (!x.decided() || is_definite_nan(x)) return x;
  if (x.may_inf) return Ball::unknown(Undecided::Unbounded);
  if (is_definite_infinity(x)) return also_nan(Ball::exact(x.mid > 0 ? 0 : nan), x.may_nan);
  if (x.mid == 0 && x.radius == 0) return also_nan(Ball::exact(infinity), x.may_nan);
  const Ball finite = {x.mid, x.radius, false, false, Undecided::No};
  Ball result;
  if (x.low() >= 0.5) {
    result = trigamma_right(math, finite);
  } else if (x.high() < 0.5) {
    result = trigamma_left(math, finite);
  } else {
    result = hull(trigamma_left(math, ball_of_interval(x.low(), 0.5)),
                  trigamma_right(math, ball_of_interval(0.5, x.high())));
  }
  if (!result.decided()) return result;
  return also_nan(infinite_from(largest_computed(math) / 8, result), x.may_nan);
}

}  // namespace

Ball ball_zeta(const BallMath& math, const Ball& s, const Ball& q) {
  if (!s.decided()) return s;
  if (!q.decided()) return q;
  if (s.may_inf || q.may_inf) return Ball::unknown(Undecided::Unbounded);
  // A NaN for s is not always looked at: infinite where q is a pole.
  if (is_definite_nan(s)) {
    return is_definite_nan(q) || q.low() > 0 ? Ball::exact(nan) : Ball::unknown(Undecided::Unbounded);
  }
  if (s.mid == 1 && s.radius == 0) return also_nan(Ball::exact(infinity), s.may_nan);
  if (s.high() < 1) {
    const bool poles = s.may_nan && !is_definite_nan(q) && q.low() <= 0;
    return poles ? Ball::unknown(Undecided::Unbounded) : Ball::exact(nan);
  }
  if (s.low() <= 1) return Ball::unknown(Undecided::Unbounded);
  if (is_definite_nan(q)) return Ball::exact(nan);
  const bool may_nan = s.may_nan || q.may_nan;
  if (is_definite_infinity(q)) {
    // The sum vanishes on the right; some meet inf - inf or 0 inf on the way.
    return q.mid > 0 ? Ball{0, 0, true, false, Undecided::No} : also_nan(Ball::exact(infinity), may_nan);
  }
  if (is_definite_infinity(s)) return Ball::unknown(Undecided::Unbounded);
  Ball result;
  if (q.low() > 0) {
    result = zeta_of_box(math, s, q);
  } else if (q.radius != 0 || s.radius != 0) {
    return Ball::unknown(Undecided::Unbounded);
  } else if (q.mid == std::floor(q.mid)) {
    result = Ball::exact(infinity);
  } else if (s.mid != std::floor(s.mid)) {
    result = Ball::exact(nan);
  } else {
    result = zeta_of_negative(math, s.mid, q.mid);
  }
  return result.decided() ? also_nan(result, may_nan) : result;
}

// (-1)^(n+1) n! zeta(n + 1, x), the factorial as the exponential of lgamma. Eager keeps the factors apart, of which one
// may overflow or vanish although the product does not.
Ball ball_polygamma(const BallMath& math, int64_t n, const Ball& x) {
  if (n == 1) return trigamma(math, x);
  if (x.decided() && is_definite_nan(x)) return x;
  const auto order = static_cast<double>(n);
  const Ball factorial = math.exp(ball_lgamma(math, math.scalar(order + 1)));
  const Ball product = math.mul(factorial, ball_zeta(math, math.scalar(order + 1), x));
  return n % 2 == 0 ? math.neg(product) : product;
}

}  // namespace parallax
