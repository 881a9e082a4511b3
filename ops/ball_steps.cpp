// Functions of two balls that jump: where the operands decide the step, the result is exact; else it is the hull of the
// outcomes.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/limits.h"
#include "ops/ball_flags.h"
#include "ops/ball_functions.h"
#include "ops/ball_pairs.h"

namespace parallax {
namespace {

// Covers the double roundings of an interval's end and of the quotient of two.
constexpr double slack = 0x1p-48;

// Over this a double has no fraction, and neighbouring integers cannot be told apart.
constexpr double countable = 0x1p50;

bool is_finite_number(const Ball& x) { return x.radius == 0 && std::isfinite(x.mid); }

struct Quotients {
  double low;
  double high;
};

// A quotient that is too small for a double keeps its sign: its floor hangs on that.
double quotient(double a, double b) {
  const double rounded = a / b;
  return rounded == 0 && a != 0 ? std::copysign(std::numeric_limits<double>::denorm_min(), rounded) : rounded;
}

// The quotients of two intervals, a little widened; the divisor's has no 0 inside.
Quotients quotients(const Ball& a, const Ball& b) {
  const double ends[] = {quotient(a.low(), b.low()), quotient(a.low(), b.high()), quotient(a.high(), b.low()),
                         quotient(a.high(), b.high())};
  const auto [low, high] = std::minmax_element(std::begin(ends), std::end(ends));
  return {*low - slack * std::fabs(*low), *high + slack * std::fabs(*high)};
}

// The ball of [low, high], results that may have been rounded to the dtype once more.
Ball outcomes(const BallMath& math, double low, double high) {
  const Ball ball = ball_of_interval(low, high);
  if (math.holds(low) && math.holds(high)) return ball;
  return math.with_error(ball.mid, ball.radius, math.rounding(std::max(std::fabs(low), std::fabs(high))));
}

// `a` as a result: a subnormal may be flushed where it is returned.
Ball handed_on(const BallMath& math, const Ball& a) {
  if (!math.profile().flush_to_zero || !a.decided() || !std::isfinite(a.mid)) return a;
  const double least = clearance(a);
  if ((a.radius == 0 && a.mid == 0) || least >= info(math.dtype()).smallest_normal) return a;
  return flagged(math.with_error(a.mid, a.radius, math.rounding(0)), a.may_nan, a.may_inf);
}

// a - n b for a known integer n.
Ball after_steps(const BallMath& math, const Ball& a, const Ball& b, double n) {
  if (n == 0) return handed_on(math, a);
  const double taken = n * b.mid;
  const double lost = 0x1p-52 * (std::fabs(a.mid) + std::fabs(taken));
  return math.rounded(a.mid - taken, a.radius + std::fabs(n) * b.radius + lost, false);
}

// The finite part of fmod; the divisor is not exactly 0.
Ball finite_fmod(const BallMath& math, const Ball& a, const Ball& b) {
  if (is_finite_number(a) && is_finite_number(b)) return math.rounded(std::fmod(a.mid, b.mid), 0, true);
  const double nearer = std::min(reach(a), reach(b));
  const bool one_sign = a.low() >= 0 || a.high() <= 0;
  if (!contains_zero(b)) {
    const Quotients q = quotients(a, b);
    const bool whole = std::trunc(q.low) == std::trunc(q.high) && std::fabs(q.low) < countable;
    if (whole && (one_sign || std::trunc(q.low) == 0)) return after_steps(math, a, b, std::trunc(q.low));
  }
  return outcomes(math, a.low() >= 0 ? 0 : -nearer, a.high() <= 0 ? 0 : nearer);
}

Ball finite_remainder(const BallMath& math, const Ball& a, const Ball& b) {
  if (is_finite_number(a) && is_finite_number(b)) {
    const double part = std::fmod(a.mid, b.mid);
    if (part == 0 || (part < 0) == (b.mid < 0)) return math.rounded(part, 0, true);
    return math.add(Ball::exact(part), b);
  }
  if (!contains_zero(b)) {
    const Quotients q = quotients(a, b);
    const double n = std::floor(q.low);
    if (n == std::floor(q.high) && std::fabs(n) < countable) return after_steps(math, a, b, n);
  }
  return outcomes(math, std::min(b.low(), 0.0), std::max(b.high(), 0.0));
}

// What eager's floor of a quotient may be off by: floor((a - fmod(a, b)) / b), corrected where it is over a half too
// low, is exact as long as the dtype holds the steps to within a half. Then each of the three steps rounds, the first
// two by up to two halves of a unit in the last place of the quotient, and the correction may fail; measured: 2 ulp at
// most.
double floor_error(const BallMath& math, double quotient) {
  const double magnitude = quotient + 1;
  if (magnitude < std::ldexp(1.0, info(math.dtype()).precision - 3)) return 0;
  // In f64 the centre is computed by the same steps.
  const double roundings = math.dtype() == DType::F64 ? 10 : 6;
  return roundings * math.rounding(magnitude) + 1;
}

// Whether the multiple of b that a - fmod(a, b) is may be flushed to 0: it is b at least, and over |a| - |b|.
bool may_flush_multiple(const BallMath& math, const Ball& a, const Ball& b) {
  const double least = info(math.dtype()).smallest_normal;
  return math.profile().flush_to_zero && clearance(b) < least && clearance(a) - reach(b) < least;
}

// floor of the real quotient of two exact numbers.
Ball exact_floor_div(const BallMath& math, double a, double b) {
  const double part = std::fmod(a, b);
  double quotient = (a - part) / b;
  // In double it is off by less than 2^-51 of itself, and the real one is an integer.
  if (std::fabs(quotient) < countable) quotient = std::nearbyint(quotient);
  if (part != 0 && (part < 0) != (b < 0)) quotient -= 1;
  const double error = floor_error(math, std::fabs(quotient));
  const Ball steps = error == 0 ? math.rounded(quotient, 0, true) : math.with_error(quotient, 0, error);
  // What is divided may be flushed to 0, whose quotient is the last step alone.
  const bool flushed =
      math.profile().flush_to_zero && a != part && std::fabs(a - part) < info(math.dtype()).smallest_normal;
  return flushed ? including(steps, part != 0 && (part < 0) != (b < 0) ? -1 : 0) : steps;
}

// The rest of a division has the dividend's sign, and the divisor is added where that is not its own. A rest that
// counts as 0 where its sign is asked for comes out as it is, in the place of one that is that close to the divisor.
Ball including_flushed_rest(const BallMath& math, const Ball& remainder, const Ball& a, const Ball& b) {
  const double tiny = math.flushed_below();
  if (tiny <= 0 || !remainder.decided()) return remainder;
  Ball result = remainder;
  if (a.low() < 0 && b.high() > 0 && remainder.high() >= std::max(b.low(), 0.0) - tiny) {
    result = hull(result, ball_of_interval(std::max(a.low(), -tiny), 0));
  }
  if (a.high() > 0 && b.low() < 0 && remainder.low() <= std::min(b.high(), 0.0) + tiny) {
    result = hull(result, ball_of_interval(0, std::min(a.high(), tiny)));
  }
  return result;
}

}  // namespace

Ball ball_fmax(const BallMath& math, const Ball& a, const Ball& b) {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  if (is_definite_nan(a)) return b;
  if (is_definite_nan(b)) return a;
  Ball first = a;
  Ball second = b;
  first.may_nan = second.may_nan = false;
  Ball result = math.maximum(first, second);
  // Where one is NaN the other shows.
  if (a.may_nan) result = hull(result, second);
  if (b.may_nan) result = hull(result, first);
  return flagged(result, a.may_nan && b.may_nan, false);
}

Ball ball_fmin(const BallMath& math, const Ball& a, const Ball& b) {
  return math.neg(ball_fmax(math, math.neg(a), math.neg(b)));
}

// A vectorised fmod divides first, and is NaN where the quotient overflows (SLEEF's in f32).
bool quotient_overflows(const BallMath& math, const Ball& a, const Ball& b) {
  const double least = clearance(b);
  return least <= 0 || reach(a) / least >= largest_computed(math) * (1 - 0x1p-20);
}

Ball ball_fmod(const BallMath& math, const Ball& a, const Ball& b) {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  const bool zero_divisor = is_finite_number(b) && b.mid == 0 && !b.may_inf;
  if (is_definite_nan(a) || is_definite_nan(b) || is_definite_infinity(a) || zero_divisor) return Ball::exact(nan);
  Ball result = is_definite_infinity(b) ? handed_on(math, a) : finite_fmod(math, a, b);
  if (b.may_inf) result = hull(result, handed_on(math, a));
  const bool may_nan = a.may_nan || a.may_inf || b.may_nan;
  return flagged(result, may_nan || (std::isfinite(b.mid) && quotient_overflows(math, a, b)), false);
}

namespace {

Ball remainder_of_signs(const BallMath& math, const Ball& a, const Ball& b) {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  const bool zero_divisor = is_finite_number(b) && b.mid == 0 && !b.may_inf;
  if (is_definite_nan(a) || is_definite_nan(b) || is_definite_infinity(a) || zero_divisor) return Ball::exact(nan);
  Ball result;
  if (is_definite_infinity(b)) {
    const bool positive = b.mid > 0;
    const bool agrees = positive ? a.low() >= 0 : a.high() <= 0;
    const bool differs = positive ? a.high() < 0 : a.low() > 0;
    if (!agrees && !differs) return Ball::unknown(Undecided::Unbounded);
    result = agrees ? handed_on(math, a) : Ball::exact(b.mid);
    if (a.may_inf && differs) return Ball::unknown(Undecided::Unbounded);
    result.may_inf = false;
  } else {
    result = including_flushed_rest(math, finite_remainder(math, a, b), a, b);
  }
  // An infinite divisor leaves the dividend or gives itself.
  if (b.may_inf) result = flagged(hull(result, handed_on(math, a)), false, true);
  const bool may_nan = a.may_nan || a.may_inf || b.may_nan;
  return flagged(result, may_nan || (std::isfinite(b.mid) && quotient_overflows(math, a, b)), false);
}

}  // namespace

Ball ball_remainder(const BallMath& math, const Ball& a, const Ball& b) {
  return by_signs(a, b, [&](const Ball& x, const Ball& y) { return remainder_of_signs(math, x, y); });
}

Ball ball_div(const BallMath& math, const Ball& a, const Ball& b, bool b_zero_is_positive) {
  const Ball quotient = math.div(a, b);
  // What is undecided of an operand for its zero's sign stays so.
  if (quotient.undecided != Undecided::SignedZero || !a.decided() || !b.decided()) return quotient;
  const bool apart_from_zero = is_definite_infinity(a) || a.low() > 0 || a.high() < 0;
  const bool may_nan = a.may_nan || b.may_nan || !apart_from_zero;
  const bool one_sign = b_zero_is_positive && apart_from_zero && !a.may_inf;
  if (one_sign) return {std::copysign(infinity, a.mid), 0, may_nan, false, Undecided::No};
  return flagged(ball_reciprocal(math, Ball::exact(0), false), may_nan, false);
}

namespace {

Ball floor_div_of_signs(const BallMath& math, const Ball& a, const Ball& b, bool b_zero_is_positive) {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  if (is_definite_nan(a) || is_definite_nan(b)) return Ball::exact(nan);
  if (a.is_exact() && b.is_exact() && is_finite_number(a) && is_finite_number(b) && b.mid != 0) {
    return exact_floor_div(math, a.mid, b.mid);
  }
  // fmod of an infinity is NaN, and eager's quotient with it; the floor of the quotient is the infinity.
  if (is_definite_infinity(a)) return flagged(ball_div(math, a, b, b_zero_is_positive), true, false);
  if (is_definite_infinity(b)) {
    // The quotient is 0 from one side: its floor is 0 or -1.
    const bool reaches_below = b.mid > 0 ? a.low() < 0 : a.high() > 0;
    const bool reaches_above = b.mid > 0 ? a.high() >= 0 : a.low() <= 0;
    return flagged(ball_of_interval(reaches_below ? -1 : 0, reaches_above ? 0 : -1),
                   a.may_nan || a.may_inf || b.may_nan, a.may_inf);
  }
  const Ball quotient = ball_div(math, a, b, b_zero_is_positive);
  if (!quotient.decided() || !std::isfinite(quotient.mid)) return quotient;
  Ball steps = ball_floor(math, quotient);
  const double error = floor_error(math, reach(steps));
  if (error != 0) steps = math.with_error(steps.mid, steps.radius, error);
  if (b.may_inf || may_flush_multiple(math, a, b)) steps = hull(steps, ball_of_interval(-1, 0));
  return flagged(steps, quotient.may_nan || a.may_inf, quotient.may_inf);
}

}  // namespace

Ball ball_floor_div(const BallMath& math, const Ball& a, const Ball& b, bool b_zero_is_positive) {
  return by_signs(a, b,
                  [&](const Ball& x, const Ball& y) { return floor_div_of_signs(math, x, y, b_zero_is_positive); });
}

Ball ball_copysign(const BallMath& math, const Ball& a, const Ball& b, bool b_zero_is_positive) {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  if (is_definite_nan(a)) return a;
  const Ball magnitude = math.abs(a);
  // A NaN has a sign too, which nobody defines.
  const bool one_sign = !is_definite_nan(b) && !b.may_nan && !b.may_inf;
  const bool zero = is_finite_number(b) && b.mid == 0;
  if (one_sign && (is_definite_infinity(b) ? b.mid > 0 : b.low() > 0 || (zero && b_zero_is_positive))) return magnitude;
  if (one_sign && (is_definite_infinity(b) ? b.mid < 0 : b.high() < 0)) return math.neg(magnitude);
  const Ball both = hull(magnitude, math.neg(magnitude));
  return both.decided() ? both : Ball::unknown(Undecided::SignedZero);
}

Ball ball_heaviside(const Ball& x, const Ball& values) {
  if (!x.decided()) return x;
  const bool infinite = is_definite_infinity(x);
  const bool number = !is_definite_nan(x);
  const bool below = !number || x.may_nan || x.may_inf || (infinite ? x.mid < 0 : x.low() < 0);
  const bool above = number && (x.may_inf || (infinite ? x.mid > 0 : x.high() > 0));
  Ball result = Ball::exact(below ? 0 : 1);
  if (below && above) result = ball_of_interval(0, 1);
  if (!number || infinite || !contains_zero(x)) return result;
  return below || above ? hull(result, values) : values;
}

Ball ball_nextafter(const BallMath& math, const Ball& a, const Ball& b) {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  if (is_definite_nan(a) || is_definite_nan(b)) return Ball::exact(nan);
  const bool may_nan = a.may_nan || b.may_nan;
  if (a.is_exact() && (b.is_exact() || (std::isfinite(a.mid) && std::isfinite(b.mid) && !b.may_inf &&
                                        (b.low() > a.mid || b.high() < a.mid)))) {
    const double limit = info(math.dtype()).max_finite;
    double next = a.mid;
    if (std::isinf(a.mid) && b.mid != a.mid) next = std::copysign(limit, a.mid);
    if (std::isfinite(a.mid) && b.mid > a.mid) next = next_up(math.dtype(), a.mid);
    if (std::isfinite(a.mid) && b.mid < a.mid) next = next_down(math.dtype(), a.mid);
    return flagged(std::isfinite(next) ? math.rounded(next, 0, true) : Ball::exact(next), may_nan, false);
  }
  if (is_definite_infinity(a)) return Ball::unknown(Undecided::Unbounded);
  // Whatever the direction, one step of the dtype: two roundings, and those of what is not a number of it.
  Ball result = math.with_error(a.mid, a.radius, 4 * math.rounding(reach(a)));
  // The step from an infinity leads to the largest number.
  const double limit = info(math.dtype()).max_finite;
  if (a.may_inf) result = hull(result, ball_of_interval(-limit, limit));
  return flagged(result, may_nan, a.may_inf);
}

}  // namespace parallax
