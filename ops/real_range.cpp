#include "ops/real_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/limits.h"
#include "ops/ball_math.h"

namespace parallax {
namespace {

Undecided first_undecided(const RealRange& a, const RealRange& b) {
  return a.undecided == Undecided::No ? b.undecided : a.undecided;
}

bool is_nan(const RealRange& x) { return std::isnan(x.low) || std::isnan(x.high); }

RealRange not_a_number(const RealRange& a, const RealRange& b) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {nan, nan, nan, true, first_undecided(a, b)};
}

// The error of a double result, exactly, or a number of its sign.
double error_of_sum(double a, double b, double sum) {
  const double part = sum - a;
  return (a - (sum - part)) + (b - part);
}
double error_of_product(double a, double b, double product) { return std::fma(a, b, -product); }
double error_of_quotient(double a, double b, double quotient) {
  const double rest = -std::fma(quotient, b, -a);
  return b < 0 ? -rest : rest;
}

// An end of an exact result that a double may not hold, moved outwards.
double lower_end(double x, double error) { return std::isfinite(x) && error < 0 ? std::nextafter(x, -infinity) : x; }
double upper_end(double x, double error) { return std::isfinite(x) && error > 0 ? std::nextafter(x, infinity) : x; }

// The conversion of f64 to a 16-bit format goes by way of f32, as in eager.
double nearest(DType dtype, double x) {
  return size_of(dtype) == 2 ? round_to(dtype, round_to(DType::F32, x)) : round_to(dtype, x);
}

}  // namespace

RealRange RealRange::exact(double x) { return {x, x, x, std::isnan(x), Undecided::No}; }

RealRange RealRange::of(const Ball& ball) {
  RealRange range{ball.low(), ball.high(), ball.mid, ball.may_nan || std::isnan(ball.mid), ball.undecided};
  if (std::isinf(ball.mid)) range.low = range.high = ball.mid;
  if (can_be_plus_infinity(ball)) range.high = infinity;
  if (can_be_minus_infinity(ball)) range.low = -infinity;
  return range;
}

RealRange RealRange::of(const IntegerBall& integer) {
  if (integer.is_interval()) {
    const Ball ball = interval_as_ball(integer);
    return {ball.low(), ball.high(), static_cast<double>(integer.value), false, Undecided::No};
  }
  RealRange range = exact(static_cast<double>(integer.value));
  range.undecided = integer.undecided;
  return range;
}

IntegerBall RealRange::to_integer(DType dtype) const {
  if (undecided != Undecided::No) return {0, undecided};
  const DTypeInfo& limits = info(dtype);
  // 2^63 is the first double over i64's range; the ends of the others are doubles themselves.
  const auto least = static_cast<double>(limits.min_integer);
  const bool fits = dtype == DType::I64 ? low >= -0x1p63 && high < 0x1p63
                                        : low >= least && high <= static_cast<double>(limits.max_integer);
  if (may_nan || std::isnan(value) || !fits) return {0, Undecided::CastOutOfRange};
  return IntegerBall::between(static_cast<int64_t>(low), static_cast<int64_t>(high), static_cast<int64_t>(value),
                              Undecided::InexactToInteger);
}

Ball RealRange::to_ball() const {
  if (undecided != Undecided::No) return Ball::unknown(undecided);
  if (std::isnan(low) || low == high) {
    Ball ball = Ball::exact(std::isnan(low) ? low : value);
    ball.may_nan = may_nan && !std::isnan(low);
    return ball;
  }
  if (!std::isfinite(low) || !std::isfinite(high)) return Ball::unknown(Undecided::Unbounded);
  // The subtraction may round: a little more covers it.
  const double radius = std::max(high - value, value - low) * (1 + 0x1p-52);
  return {value, radius, may_nan, false, Undecided::No, -1};
}

RealRange hull(const RealRange& a, const RealRange& b) {
  if (is_nan(a) || is_nan(b)) {
    RealRange other = is_nan(a) ? b : a;
    other.may_nan = true;
    return other;
  }
  return {std::min(a.low, b.low), std::max(a.high, b.high), a.value, a.may_nan || b.may_nan, first_undecided(a, b)};
}

RealRange RangeMath::stored(const RealRange& x) const {
  RealRange result = x;
  result.low = nearest(dtype_, x.low);
  result.high = nearest(dtype_, x.high);
  result.value = nearest(dtype_, x.value);
  const bool rounds = result.low != x.low || result.high != x.high;
  if (profile_.rounding_mode_open && rounds) {
    result.low = next_down(dtype_, result.low);
    result.high = next_up(dtype_, result.high);
  }
  const double smallest = info(dtype_).smallest_normal;
  if (profile_.flush_to_zero && result.low < smallest && result.high > -smallest) {
    result.low = std::min(result.low, 0.0);
    result.high = std::max(result.high, 0.0);
  }
  return result;
}

RealRange RangeMath::rounded(const RealRange& x) const {
  const RealRange result = stored(x);
  return {std::min(x.low, result.low), std::max(x.high, result.high), result.value, x.may_nan, x.undecided};
}

RealRange RangeMath::combined(const RealRange& a, const RealRange& b, double (*value)(double, double),
                              double (*error)(double, double, double)) const {
  if (is_nan(a) || is_nan(b)) return not_a_number(a, b);
  RealRange result{infinity, -infinity, value(a.value, b.value), a.may_nan || b.may_nan, first_undecided(a, b)};
  bool any = false;
  for (const double x : {a.low, a.high}) {
    for (const double y : {b.low, b.high}) {
      const double end = value(x, y);
      if (std::isnan(end)) {
        result.may_nan = true;
        continue;
      }
      any = true;
      const double off = error(x, y, end);
      result.low = std::min(result.low, lower_end(end, off));
      result.high = std::max(result.high, upper_end(end, off));
    }
  }
  if (!any) return not_a_number(a, b);
  return rounded(result);
}

RealRange RangeMath::add(const RealRange& a, const RealRange& b) const {
  return combined(a, b, [](double x, double y) { return x + y; }, error_of_sum);
}

RealRange RangeMath::sub(const RealRange& a, const RealRange& b) const {
  return add(a, {-b.high, -b.low, -b.value, b.may_nan, b.undecided});
}

RealRange RangeMath::mul(const RealRange& a, const RealRange& b) const {
  return combined(a, b, [](double x, double y) { return x * y; }, error_of_product);
}

RealRange RangeMath::div(const RealRange& a, const RealRange& b) const {
  if (b.low <= 0 && b.high >= 0) {
    // The sign of a zero decides which infinity it is.
    RealRange unknown = not_a_number(a, b);
    unknown.undecided = b.low == b.high ? Undecided::SignedZero : Undecided::Unbounded;
    return unknown;
  }
  RealRange result = combined(a, b, [](double x, double y) { return x / y; }, error_of_quotient);
  const double most = std::max(std::fabs(result.low), std::fabs(result.high));
  const double divisor = b.low == b.high ? b.value : nan;
  if (!profile_.divides_as_ieee(dtype_, divisor) && std::isfinite(most) && most > 0) {
    const double ulps = static_cast<double>(profile_.error_of(FunctionKind::Division, dtype_).ulp);
    const double error = ulps * 2 * info(dtype_).unit_roundoff * most;
    result.low -= error;
    result.high += error;
  }
  return result;
}

RealRange RangeMath::reciprocal(const RealRange& x) const {
  const RealRange quotient = div(RealRange::exact(1), x);
  if (x.low != x.high || is_nan(quotient)) return quotient;
  return profile_.divides_as_ieee(dtype_, x.value) ? stored(RealRange::exact(1 / x.value)) : quotient;
}

template <class F>
RealRange RangeMath::monotone(const RealRange& x, F&& function) const {
  if (is_nan(x)) return x;
  return {function(x.low), function(x.high), function(x.value), x.may_nan, x.undecided};
}

RealRange RangeMath::minimum(const RealRange& a, const RealRange& b) const {
  if (is_nan(a) || is_nan(b)) return not_a_number(a, b);
  return {std::min(a.low, b.low), std::min(a.high, b.high), std::min(a.value, b.value), a.may_nan || b.may_nan,
          first_undecided(a, b)};
}

RealRange RangeMath::maximum(const RealRange& a, const RealRange& b) const {
  if (is_nan(a) || is_nan(b)) return not_a_number(a, b);
  return {std::max(a.low, b.low), std::max(a.high, b.high), std::max(a.value, b.value), a.may_nan || b.may_nan,
          first_undecided(a, b)};
}

RealRange RangeMath::whole(const RealRange& x) const {
  RealRange result = monotone(x, [](double y) { return std::nearbyint(y); });
  if (profile_.allows(Form::HalfAway)) result = hull(result, monotone(x, [](double y) { return std::round(y); }));
  if (profile_.allows(Form::HalfUp)) {
    const RealRange moved = add(x, RealRange::exact(0.5));
    result = hull(result, monotone(moved, [](double y) { return std::floor(y); }));
  }
  return result;
}

}  // namespace parallax
