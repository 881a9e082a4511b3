#include "ops/cast.h"

#include <algorithm>
#include <cmath>

#include "ops/ball_math.h"

namespace parallax {
namespace {

// Whether every value of the format `from` is one of `to`.
bool widens(DType from, DType to) {
  if (from == to || to == DType::F64) return true;
  return to == DType::F32 && from != DType::F64;
}

bool in_range(double x, DType dtype) {
  const DTypeInfo& limits = info(dtype);
  // 2^63 is the first double over i64's range; the smaller limits are doubles themselves.
  if (dtype == DType::I64) return x >= -0x1p63 && x < 0x1p63;
  return x >= static_cast<double>(limits.min_integer) && x <= static_cast<double>(limits.max_integer);
}

IntegerBall ball_to_bool(const Ball& ball) {
  if (is_definite_nan(ball) || is_definite_infinity(ball) || !contains_zero(ball)) return {1, Undecided::No};
  if (ball.is_exact()) return {0, Undecided::No};
  return {0, Undecided::InexactToInteger};
}

}  // namespace

Ball cast_ball(const Ball& ball, DType from, DType to, const CallProfile& profile) {
  if (!ball.decided() || !std::isfinite(ball.mid) || widens(from, to)) return ball;
  const BallMath math(to, profile);
  Ball result = math.rounded(ball.mid, Inherited(ball), true);
  // Eager converts f64 to the 16-bit formats through f32: a second rounding.
  const bool twice = from == DType::F64 && to != DType::F32 && result.decided() && result.radius > 0;
  if (twice) result = math.with_error(ball.mid, result.radius, math.rounding(std::fabs(ball.mid) + result.radius));
  result.may_nan = result.may_nan || ball.may_nan;
  const bool one_sign = ball.may_inf.is_of_one_sign() && (!result.may_inf || result.may_inf.is_of_one_sign());
  if (ball.may_inf) result.may_inf = one_sign ? ball.may_inf : MayInf(true);
  return result;
}

IntegerBall ball_to_integer(const Ball& ball, DType to) {
  if (!ball.decided()) return {0, ball.undecided};
  if (to == DType::Bool) return ball_to_bool(ball);
  if (!std::isfinite(ball.mid) || ball.may_nan || ball.may_inf) return {0, Undecided::CastOutOfRange};
  const double low = std::trunc(ball.low());
  const double high = std::trunc(ball.high());
  if (!in_range(low, to) || !in_range(high, to)) return {0, Undecided::CastOutOfRange};
  return IntegerBall::between(static_cast<int64_t>(low), static_cast<int64_t>(high),
                              static_cast<int64_t>(std::trunc(ball.mid)), Undecided::InexactToInteger);
}

Ball integer_to_ball(const IntegerBall& integer, DType to, const CallProfile& profile) {
  if (integer.is_interval()) {
    const Ball ball = interval_as_ball(integer);
    // No integer between the ends rounds: the dtype holds all of them.
    const DTypeInfo& limits = info(to);
    if (reach(ball) <= std::min(std::ldexp(1.0, limits.precision), limits.max_finite)) return ball;
  }
  // Eager converts to the 16-bit formats through f32, which rounds integers of more than 24 bits.
  if (size_of(to) == 2) return cast_ball(integer_to_ball(integer, DType::F32, profile), DType::F32, to, profile);
  const BallMath math(to, profile);
  if (integer.is_interval()) {
    const Ball ball = interval_as_ball(integer);
    return math.rounded(ball.mid, Inherited(ball), false);
  }
  if (integer.undecided != Undecided::No) return Ball::unknown(integer.undecided);
  const auto mid = static_cast<double>(integer.value);
  // Over 2^53 the double itself may be off; 2^63 as a double is out of i64's range, and so never exact.
  const bool exact = std::fabs(mid) < 0x1p63 ? static_cast<int64_t>(mid) == integer.value : mid < 0;
  return math.rounded(mid, 0, exact);
}

IntegerBall cast_integer(const IntegerBall& integer, DType to) {
  if (integer.is_interval()) {
    if (to == DType::Bool && (integer.low > 0 || integer.high < 0)) return {1, Undecided::No};
    const bool wraps = wrap_to(to, integer.low) != integer.low || wrap_to(to, integer.high) != integer.high;
    if (to != DType::Bool && !wraps) return integer;
    return {wrap_to(to, integer.value), integer.undecided};
  }
  return {wrap_to(to, integer.value), integer.undecided};
}

Ball element_as_ball(const BallView& view, int64_t element, DType dtype, const CallProfile& profile) {
  if (view.floating()) return cast_ball(view.ball(element), view.dtype, dtype, profile);
  return integer_to_ball(view.integer(element), dtype, profile);
}

IntegerBall element_as_integer(const BallView& view, int64_t element, DType dtype) {
  if (view.floating()) return ball_to_integer(view.ball(element), dtype);
  return cast_integer(view.integer(element), dtype);
}

void convert_element(const BallView& from, int64_t from_element, const BallView& to, int64_t to_element,
                     const CallProfile& profile) {
  if (to.floating()) {
    to.ball(to_element) = element_as_ball(from, from_element, to.dtype, profile);
  } else {
    to.integer(to_element) = element_as_integer(from, from_element, to.dtype);
  }
}

}  // namespace parallax
