#include "ops/ball_math.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/limits.h"
#include "ops/ball_flags.h"
#include "ops/ball_functions.h"

namespace parallax {
namespace {

constexpr double tiniest = std::numeric_limits<double>::denorm_min();

// A radius is a sum of a few non-negative terms, each with a few roundings of 2^-53: this covers them all. The term in
// `mid` covers both the double rounding of the centre and that of `mid - radius` when somebody asks for an end.
double outward(double radius, double mid) { return radius * (1 + 0x1p-49) + 0x1p-52 * std::fabs(mid) + tiniest; }

// The rounding error of a + b in double, exactly (Knuth's TwoSum).
double sum_error(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return (a - (sum - b_part)) + (b - b_part);
}

// Products and quotients whose error could itself be lost below the subnormals are not called exact.
bool product_is_exact(double a, double b) {
  const double product = a * b;
  if (a == 0 || b == 0) return true;
  return std::fabs(product) > 0x1p-960 && std::fma(a, b, -product) == 0;
}

bool quotient_is_exact(double a, double b) {
  const double quotient = a / b;
  if (a == 0) return true;
  return std::fabs(a) > 0x1p-960 && std::fabs(quotient) > 0x1p-960 && std::fma(quotient, b, -a) == 0;
}

// The largest power of two that is at most x, for x >= 0; 0 for 0 and the subnormals, whose roundings underflow.
double binade(double x) { return std::bit_cast<double>(std::bit_cast<uint64_t>(x) & 0x7ff0'0000'0000'0000ULL); }

// The deviation of the sum of two errors that have nothing to do with each other.
double independent(double a, double b) { return std::sqrt(a * a + b * b); }

// A definite NaN or infinity that may be something else as well says too little to be carried further.
Ball definite(double x, bool may_nan, bool may_inf) {
  if (may_inf || (std::isnan(x) && may_nan)) return Ball::unknown(Undecided::Unbounded);
  return {x, 0, may_nan, false, Undecided::No};
}

Ball with_flags(Ball ball, bool may_nan, bool may_inf) {
  ball.may_nan = ball.may_nan || may_nan;
  if (may_inf) ball.may_inf = true;
  return ball;
}

IntegerBall truth(bool value) { return {value, Undecided::No}; }
IntegerBall open(Undecided reason) { return {0, reason}; }

}  // namespace

Ball ball_of_interval(double low, double high) {
  if (low == high) return Ball::exact(low);
  if (!std::isfinite(low) || !std::isfinite(high)) return Ball::unknown(Undecided::Unbounded);
  // An end at 0 stays there: functions with an edge at 0 must not see a value past it. Half of an odd subnormal is no
  // double; the one of the two beside it that is farther from 0 keeps the other end inside.
  if (low == 0 || high == 0) {
    const double end = low + high;
    const double half = end / 2;
    const double mid = std::copysign(std::max(std::fabs(half), std::fabs(end - half)), end);
    return {mid, std::fabs(mid), false, false, Undecided::No};
  }
  // Around 0 no rounding is needed. A number whose sign alone is unknown is then one of the two ends, as a legal run
  // with all errors in one direction takes it.
  if (low == -high) return {0, high, false, false, Undecided::No};
  const double mid = low / 2 + high / 2;
  const double radius = outward(std::max(high - mid, mid - low), mid);
  if (!std::isfinite(radius)) return Ball::unknown(Undecided::Unbounded);
  return {mid, radius, false, false, Undecided::No};
}

Ball hull(const Ball& a, const Ball& b) {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  const bool may_nan = a.may_nan || b.may_nan;
  const bool may_inf = a.may_inf || b.may_inf;
  if (is_definite_nan(a) && is_definite_nan(b)) return definite(nan, false, may_inf);
  if (is_definite_nan(a)) return with_flags(b, true, may_inf);
  if (is_definite_nan(b)) return with_flags(a, true, may_inf);
  if (is_definite_infinity(a) && is_definite_infinity(b)) {
    return {a.mid, 0, may_nan, may_inf || a.mid != b.mid, Undecided::No};
  }
  if (is_definite_infinity(a)) return with_flags(b, may_nan, true);
  if (is_definite_infinity(b)) return with_flags(a, may_nan, true);
  if (a.mid == b.mid) return with_flags(a.radius >= b.radius ? a : b, may_nan, may_inf);
  return with_flags(ball_of_interval(std::min(a.low(), b.low()), std::max(a.high(), b.high())), may_nan, may_inf);
}

Ball hull_of(std::span<const Ball> balls) {
  Ball result = balls.front();
  for (const Ball& ball : balls.subspan(1)) {
    const bool inside = result.decided() && ball.decided() && std::isfinite(result.mid) && result.low() <= ball.low() &&
                        ball.high() <= result.high();
    result = inside ? with_flags(result, ball.may_nan, ball.may_inf) : hull(result, ball);
    result.deviation = -1;
  }
  return result;
}

Ball including(const Ball& ball, double x) { return hull(ball, Ball::exact(x)); }

BallMath::BallMath(DType dtype, const CallProfile& profile)
    : dtype_(dtype),
      element_dtype_(dtype),
      profile_(profile),
      function_(profile.error_of(FunctionKind::Other, dtype)),
      unit_roundoff_(profile.unit_roundoff(dtype)),
      underflow_(std::max(profile.underflow(dtype), tiniest)),
      largest_(info(dtype).max_finite) {}

bool BallMath::holds(double x) const {
  if (profile_.flush_to_zero && x != 0 && std::fabs(x) < info(dtype_).smallest_normal) return false;
  return round_to(dtype_, x) == x;
}

double BallMath::rounding(double magnitude) const {
  if (magnitude == 0) return underflow_;
  if (!std::isfinite(magnitude)) return magnitude;
  // The margin is for magnitudes that were themselves rounded down.
  return unit_roundoff_ * binade(magnitude * (1 + 0x1p-50)) + underflow_;
}

BallMath BallMath::as(FunctionKind kind, double operand) const {
  BallMath math = *this;
  math.function_ = profile_.error_of(kind, dtype_);
  if (math.function_.ulp_per_operand > 0) {
    // That of a sine grows as long as the multiple of the period that is taken off fits: far beyond it may be anything,
    // as a tangent on llvmpipe is from 2^24 quarters of a turn on.
    constexpr double most_ulp = 0x1p16;
    const bool is_periodic = kind == FunctionKind::Sin || kind == FunctionKind::Cos || kind == FunctionKind::Tan;
    const double grown = math.function_.ulp_per_operand * operand;
    math.function_.ulp += static_cast<float>(is_periodic && grown > most_ulp ? infinity : grown);
  }
  return math;
}

double BallMath::function_error(double magnitude) const {
  const DTypeInfo& format = info(dtype_);
  const double ulp = 2 * format.unit_roundoff * binade(magnitude);
  return std::max(function_.ulp * std::max(ulp, format.smallest_subnormal), static_cast<double>(function_.absolute)) +
         underflow_;
}

double BallMath::ieee_error(FunctionKind kind, double most) const {
  const FunctionError& allowed = profile_.error_of(kind, dtype_);
  if (allowed.ulp <= 0.5) return rounding(most);
  const bool half = info(dtype_).unit_roundoff > info(DType::F32).unit_roundoff;  // computed in f32, then rounded
  const double unit = 2 * profile_.unit_roundoff(half ? DType::F32 : dtype_);
  const double error = allowed.ulp * unit * binade(most > 0 ? most * (1 + 0x1p-50) : 1);
  return half ? rounding(most) + error : error + underflow_;
}

// A deviation that a float does not hold well is none.
Ball BallMath::finite(double mid, double radius, double deviation) const {
  double outer = outward(radius, mid);
  // Rounded toward zero, what is over the largest number is that number, and goes into the next operation as it.
  if (profile_.rounding_mode_open && std::fabs(mid) - outer > largest_) outer = outward(std::fabs(mid) - largest_, mid);
  if (!std::isfinite(mid) || !std::isfinite(outer)) return Ball::unknown(Undecided::Unbounded);
  const auto stored = static_cast<float>(deviation);
  const bool known = stored >= std::numeric_limits<float>::min() && deviation < outer;
  const MayInf may_inf = infinities(outer - mid >= largest_, mid + outer >= largest_, mid);
  return {mid, outer, false, may_inf, Undecided::No, known ? stored : -1.0f};
}

// An error that is spread evenly over +-e deviates by e / sqrt(3).
Ball BallMath::rounded(double mid, Inherited inherited, bool exact) const {
  if (exact && inherited.radius == 0 && std::isfinite(mid) && holds(mid)) return Ball::exact(mid);
  return rounded_within(mid, inherited, rounding(std::fabs(mid) + inherited.radius));
}

// To the nearest, the largest number is what everything rounds to that is less than half a unit over it.
Ball BallMath::rounded_within(double mid, Inherited inherited, double error) const {
  Ball result = with_error(mid, inherited, error);
  if (result.may_inf && !profile_.rounding_mode_open && dtype_ != DType::F64) {
    const double half_unit = std::ldexp(1.0, std::ilogb(largest_) - info(dtype_).precision);
    const double most = (std::fabs(mid) + inherited.radius) * (1 + 0x1p-50);
    if (most < largest_ + half_unit) result.may_inf = false;
  }
  return result;
}

Ball BallMath::with_error(double mid, Inherited inherited, double error) const {
  const double deviation = std::sqrt(inherited.deviation * inherited.deviation + error * error / 3);
  return finite(mid, inherited.radius + error, deviation);
}

Ball BallMath::scalar(double x) const {
  if (!std::isfinite(x)) return Ball::exact(x);
  const Ball number = rounded(x, 0, true);
  const double narrow = round_to(element_dtype_, x);
  return std::isfinite(narrow) && narrow != x ? hull(number, Ball::exact(narrow)) : number;
}

BallMath BallMath::of_elements(DType dtype) const {
  BallMath math = *this;
  math.element_dtype_ = dtype;
  return math;
}

Ball BallMath::add(const Ball& a, const Ball& b) const {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  if (is_definite_nan(a) || is_definite_nan(b)) return Ball::exact(nan);
  const bool may_inf = a.may_inf || b.may_inf;
  const bool opposite =
      (can_be_plus_infinity(a) && can_be_minus_infinity(b)) || (can_be_minus_infinity(a) && can_be_plus_infinity(b));
  const bool may_nan = a.may_nan || b.may_nan || opposite;
  const double mid = a.mid + b.mid;
  // An infinity that may be one as well is one of unknown sign.
  if (std::isnan(mid)) return may_inf ? definite(a.mid, true, true) : definite(nan, false, false);
  if (is_definite_infinity(a)) return definite(a.mid, may_nan, a.may_inf);
  if (is_definite_infinity(b)) return definite(b.mid, may_nan, b.may_inf);
  const Inherited inherited(a.radius + b.radius, independent(a.spread(), b.spread()));
  Ball sum = rounded(mid, inherited, sum_error(a.mid, b.mid) == 0);
  // No number of the dtype is nearer to the sum than the one it is rounded to: so a number of the dtype is no nearer,
  // from which the sum is as far away as the other one reaches. That is far less than half a unit of a large one, such
  // as the mask of an attention.
  const double error = rounding(std::fabs(mid) + inherited.radius);
  const double least_error =
      std::min(a.is_exact() && holds(a.mid) ? reach(b) : infinity, b.is_exact() && holds(b.mid) ? reach(a) : infinity);
  if (!profile_.rounding_mode_open && sum.radius > inherited.radius && least_error < error) {
    sum = rounded_within(mid, inherited, least_error);
  }
  if (!sum.decided()) return sum;
  const bool minus = can_be_minus_infinity(a) || can_be_minus_infinity(b) || can_be_minus_infinity(sum);
  const bool plus = can_be_plus_infinity(a) || can_be_plus_infinity(b) || can_be_plus_infinity(sum);
  sum.may_inf = infinities(minus, plus, mid);
  return with_flags(sum, may_nan, false);
}

Ball BallMath::sub(const Ball& a, const Ball& b) const { return add(a, neg(b)); }

Ball BallMath::mul(const Ball& a, const Ball& b) const {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  if (is_definite_nan(a) || is_definite_nan(b)) return Ball::exact(nan);
  const bool zero_times_infinity = (can_be_infinite(a) && contains_zero(b)) || (can_be_infinite(b) && contains_zero(a));
  const bool may_nan = a.may_nan || b.may_nan || zero_times_infinity;
  const bool may_inf = a.may_inf || b.may_inf;
  if (is_definite_infinity(a) || is_definite_infinity(b)) {
    if (a.mid * b.mid != a.mid * b.mid)
      return a.is_exact() && b.is_exact() ? Ball::exact(nan) : Ball::unknown(Undecided::Unbounded);
    return zero_times_infinity ? Ball::unknown(Undecided::Unbounded) : definite(a.mid * b.mid, may_nan, may_inf);
  }
  Inherited inherited(std::fabs(a.mid) * b.radius + std::fabs(b.mid) * a.radius + a.radius * b.radius);
  if (inherited.radius != 0) {
    const double spread = a.spread();
    inherited.deviation = independent(a.mid * b.spread(), (std::fabs(b.mid) + b.spread()) * spread);
  }
  // A radius times a definite 0 is exact; one times anything else, that vanishes in double, is not.
  const auto holds_only_zero = [](const Ball& x) { return x.mid == 0 && x.radius == 0; };
  const bool vanished =
      inherited.radius == 0 && ((a.radius != 0 && !holds_only_zero(b)) || (b.radius != 0 && !holds_only_zero(a)));
  if (vanished) inherited = tiniest;
  Ball product = rounded(a.mid * b.mid, inherited, product_is_exact(a.mid, b.mid));
  const auto has_one_sign = [](const Ball& x) {
    return !contains_zero(x) && (!x.may_inf || x.may_inf.is_of_one_sign());
  };
  if (may_inf && product.decided() && product.mid != 0 && !(product.may_inf && !product.may_inf.is_of_one_sign()) &&
      has_one_sign(a) && has_one_sign(b)) {
    product.may_inf = MayInf::of_one_sign();
    return with_flags(product, may_nan, false);
  }
  return with_flags(product, may_nan, may_inf);
}

Ball BallMath::div(const Ball& a, const Ball& b) const {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  if (is_definite_nan(a) || is_definite_nan(b)) return Ball::exact(nan);
  const bool may_inf = a.may_inf;
  const bool may_nan = a.may_nan || b.may_nan || (can_be_infinite(a) && can_be_infinite(b));
  if (is_definite_infinity(b)) {
    if (is_definite_infinity(a))
      return b.may_nan || a.may_nan || a.is_exact() ? Ball::exact(nan) : Ball::unknown(Undecided::Unbounded);
    return with_flags(Ball::exact(0), may_nan, false);
  }
  if (contains_zero(b)) {
    if (b.radius != 0 || b.may_inf) return Ball::unknown(Undecided::Unbounded);
    // x / 0 is an infinity whose sign is that of the zero, which is not tracked; 0 / 0 is NaN either way.
    return a.radius == 0 && a.mid == 0 && !a.may_inf ? Ball::exact(nan) : Ball::unknown(Undecided::SignedZero);
  }
  if (is_definite_infinity(a)) {
    return b.may_inf ? Ball::unknown(Undecided::Unbounded) : definite(a.mid / b.mid, may_nan, may_inf);
  }
  const double quotient = a.mid / b.mid;
  const double divisor = (std::fabs(b.mid) - b.radius) * (1 - 0x1p-52);
  if (divisor <= 0) return Ball::unknown(Undecided::Unbounded);
  Inherited inherited(a.radius / divisor + std::fabs(quotient) * (b.radius / divisor),
                      independent(a.spread(), quotient * b.spread()) / divisor);
  // The two terms and the quotient in them may have lost half a unit each where they are subnormal in double. A
  // definite 0 is one by any divisor.
  if (a.radius != 0 || (b.radius != 0 && a.mid != 0)) inherited.radius += 2 * tiniest;
  // What is not known exactly is no power of two.
  const Ball finite_part =
      profile_.divides_as_ieee(dtype_, b.radius == 0 ? b.mid : nan)
          ? rounded(quotient, inherited, quotient_is_exact(a.mid, b.mid))
          : with_error(quotient, inherited, ieee_error(FunctionKind::Division, std::fabs(quotient) + inherited.radius));
  return with_flags(b.may_inf ? including(finite_part, 0) : finite_part, may_nan, may_inf);
}

Ball BallMath::sub_same(const Ball& a) const {
  if (!a.decided()) return a;
  if (!std::isfinite(a.mid)) return Ball::exact(nan);
  return with_flags(Ball::exact(0), a.may_nan || a.may_inf, false);
}

Ball BallMath::mul_same(const Ball& a) const {
  Ball square = mul(a, a);
  square.deviation *= std::numbers::sqrt2_v<float>;  // one error, twice
  if (!square.decided() || !std::isfinite(square.mid) || square.low() >= 0) return square;
  return with_flags(ball_of_interval(0, square.high()), square.may_nan, square.may_inf);
}

Ball BallMath::div_same(const Ball& a) const {
  if (!a.decided()) return a;
  if (!std::isfinite(a.mid) || (a.mid == 0 && a.radius == 0)) return Ball::exact(nan);
  const Ball one = profile_.divides_as_ieee(dtype_, nan) ? Ball::exact(1)
                                                         : with_error(1, 0.0, ieee_error(FunctionKind::Division, 1));
  return with_flags(one, a.may_nan || a.may_inf || contains_zero(a), false);
}

// |max(x, y) - max(a, b)| <= max(|x - a|, |y - b|), and where one operand is larger throughout, it is the result.
Ball BallMath::maximum(const Ball& a, const Ball& b) const {
  if (!a.decided() || !b.decided()) return Ball::unknown(first_undecided(a, b));
  if (is_definite_nan(a) || is_definite_nan(b)) {
    const Ball& other = is_definite_nan(a) ? b : a;
    return allows(Form::DroppedNan) ? hull(other, Ball::exact(nan)) : Ball::exact(nan);
  }
  Ball result;
  if (is_definite_infinity(a) || is_definite_infinity(b) || a.low() >= b.high() || b.low() >= a.high()) {
    result = a.mid >= b.mid ? a : b;
  } else {
    result = {std::max(a.mid, b.mid), std::max(a.radius, b.radius), false, false, Undecided::No, -1};
    result.deviation = static_cast<float>(independent(a.spread(), b.spread()));
  }
  // Two that are subnormal compare as equal where such operands count as 0, and either one is passed on as it is, or as
  // the 0 that it is flushed to: what lies below both, or above both and 0, does not come out.
  const double tiny = flushed_below();
  if (tiny > 0 && std::isfinite(result.mid) && a.low() < tiny && b.low() < tiny && a.high() > -tiny &&
      b.high() > -tiny) {
    const double least = std::min(0.0, std::max(-tiny, std::min(a.low(), b.low())));
    if (result.low() > least || result.high() < 0) {
      result = ball_of_interval(std::min(result.low(), least), std::max(result.high(), 0.0));
    }
  }
  // The other operand shows where this one is -inf, or a NaN that is dropped.
  const bool shows_b = (a.may_inf && can_be_minus_infinity(a)) || (a.may_nan && allows(Form::DroppedNan));
  const bool shows_a = (b.may_inf && can_be_minus_infinity(b)) || (b.may_nan && allows(Form::DroppedNan));
  if (shows_b) result = hull(result, b);
  if (shows_a) result = hull(result, a);
  if (is_definite_infinity(result)) return definite(result.mid, a.may_nan || b.may_nan, a.may_inf || b.may_inf);
  if (!result.decided()) return result;
  result.may_inf = infinities(can_be_minus_infinity(a) && can_be_minus_infinity(b),
                              can_be_plus_infinity(a) || can_be_plus_infinity(b), result.mid);
  return with_flags(result, a.may_nan || b.may_nan, false);
}

Ball BallMath::minimum(const Ball& a, const Ball& b) const { return neg(maximum(neg(a), neg(b))); }

Ball BallMath::neg(const Ball& x) const {
  Ball result = x;
  result.mid = -x.mid;
  return result;
}

IntegerBall less(const Ball& a, const Ball& b) {
  if (!a.decided() || !b.decided()) return open(first_undecided(a, b));
  if (is_definite_nan(a) || is_definite_nan(b)) return truth(false);
  if (a.is_exact() && b.is_exact()) return truth(a.mid < b.mid);
  if (a.may_nan || b.may_nan) return open(Undecided::InexactCompare);
  if (highest(a) < lowest(b)) return truth(true);
  if (lowest(a) >= highest(b)) return truth(false);
  return open(Undecided::InexactCompare);
}

IntegerBall less_equal(const Ball& a, const Ball& b) {
  if (is_definite_nan(a) || is_definite_nan(b)) return truth(false);
  IntegerBall greater = less(b, a);
  if (greater.undecided == Undecided::No) greater.value = !greater.value;
  return greater;
}

IntegerBall equal(const Ball& a, const Ball& b) {
  if (!a.decided() || !b.decided()) return open(first_undecided(a, b));
  if (is_definite_nan(a) || is_definite_nan(b)) return truth(false);
  if (a.is_exact() && b.is_exact()) return truth(a.mid == b.mid);
  if (a.may_inf && can_be_infinite(b)) return open(Undecided::InexactCompare);
  if (b.may_inf && can_be_infinite(a)) return open(Undecided::InexactCompare);
  // NaN is unequal, and so is an infinity to something finite: only the intervals matter.
  if (a.high() < b.low() || b.high() < a.low()) return truth(false);
  return open(Undecided::InexactCompare);
}

IntegerBall equal_same(const Ball& x) {
  if (!x.decided()) return open(x.undecided);
  if (is_definite_nan(x)) return truth(false);
  return x.may_nan ? open(Undecided::InexactCompare) : truth(true);
}

}  // namespace parallax
