#include "ops/ball_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/limits.h"

namespace parallax {

DType accumulator_of(const BallMath& math) {
  const bool half = math.dtype() == DType::F16 || math.dtype() == DType::BF16;
  return half && !math.allows(Form::AccumulateInHalf) ? DType::F32 : math.dtype();
}

double relative_error(double n, double unit_roundoff) {
  const double product = n * unit_roundoff;
  return product < 0.5 ? product / (1 - product) : infinity;
}

double rounding_variance(double n, double unit_roundoff, double squares, double sum) {
  return unit_roundoff * unit_roundoff * n / 3 * (squares + sum * sum);
}

int lowest_bit(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t{1} << 52) - 1);
  // Subnormals have the exponent of the smallest normals, and no leading 1.
  if (exponent == 0) return std::countr_zero(fraction) - 1074;
  return std::countr_zero(fraction | uint64_t{1} << 52) + exponent - 1075;
}

BallSum::BallSum(const BallMath& math) : math_(&math), accumulator_(accumulator_of(math)) {}

void BallSum::add(const Ball& term) {
  if (!term.decided()) {
    if (undecided_ == Undecided::No) undecided_ = term.undecided;
    return;
  }
  may_nan_ = may_nan_ || term.may_nan;
  may_inf_terms_ += term.may_inf;
  if (is_definite_nan(term)) {
    nan_ = true;
  } else if (is_definite_infinity(term)) {
    (term.mid > 0 ? plus_infinity_ : minus_infinity_) = true;
    any_sign_ = any_sign_ || term.may_inf;
  } else if (term.mid != 0 || term.radius != 0) {
    const double sum = mid_ + term.mid;
    const double part = sum - mid_;
    const double error = (mid_ - (sum - part)) + (term.mid - part);
    if (error != 0) mid_error_ += 0x1p-52 * std::fabs(sum);
    mid_ = sum;
    radius_ += term.radius;
    magnitude_ += std::fabs(term.mid);
    squares_ += term.mid * term.mid;
    variance_ += term.spread() * term.spread();
    if (term.mid != 0) lowest_ = terms_ == 0 ? lowest_bit(term.mid) : std::min(lowest_, lowest_bit(term.mid));
    terms_ += 1;
  }
}

bool BallSum::on_exact_grid() const {
  if (radius_ != 0 || mid_error_ != 0) return false;
  if (terms_ == 0) return true;
  // Each partial sum is a multiple of the lowest bit: where that is no subnormal, none of them is flushed.
  if (math_->profile().flush_to_zero && std::ldexp(1.0, lowest_) < info(accumulator_).smallest_normal) return false;
  return magnitude_ <= std::ldexp(1.0, lowest_ + info(accumulator_).precision);
}

Ball BallSum::result() const {
  if (undecided_ != Undecided::No) return Ball::unknown(undecided_);
  if (nan_ || (plus_infinity_ && minus_infinity_ && !any_sign_)) return Ball::exact(nan);
  const bool overflow = (magnitude_ + radius_) * (1 + terms_ * 0x1p-52) >= info(accumulator_).max_finite;
  const bool several_infinities = may_inf_terms_ > 1 || (may_inf_terms_ == 1 && overflow);
  if (plus_infinity_ || minus_infinity_) {
    Ball infinite = Ball::exact(plus_infinity_ ? infinity : -infinity);
    infinite.may_nan = may_nan_ || may_inf_terms_ > 0 || overflow;
    infinite.may_inf = any_sign_;
    return infinite;
  }
  Ball sum;
  if (on_exact_grid() && !overflow) {
    sum = math_->rounded(mid_, 0, true);
  } else {
    // The bounds themselves are sums in double.
    const double widened = 1 + terms_ * 0x1p-52;
    const double unit_roundoff = math_->profile().unit_roundoff(accumulator_);
    double inherited =
        (radius_ + relative_error(std::max(terms_ - 1, 0.0), unit_roundoff) * (magnitude_ + radius_) + mid_error_) *
        widened;
    // An addition of two numbers of a format cannot underflow, unless subnormals are flushed.
    if (math_->profile().flush_to_zero) inherited += terms_ * math_->profile().underflow(accumulator_);
    // Rounded toward zero, a partial sum stays at the largest number, and the rest makes another sum of it.
    if (overflow && math_->profile().rounding_mode_open) inherited += 2 * (magnitude_ + radius_) * widened;
    const double variance = variance_ + rounding_variance(terms_, unit_roundoff, squares_, mid_);
    const Inherited error(inherited, std::sqrt(variance));
    const bool stores = accumulator_ != math_->dtype();
    sum = stores ? math_->rounded(mid_, error, false) : math_->with_error(mid_, error, 0);
  }
  if (!sum.decided()) return sum;
  sum.may_nan = sum.may_nan || may_nan_ || several_infinities || overflow;
  sum.may_inf = sum.may_inf || may_inf_terms_ > 0 || overflow;
  return sum;
}

void BallProduct::add(const Ball& factor) {
  if (!factor.decided()) {
    if (undecided_ == Undecided::No) undecided_ = factor.undecided;
    return;
  }
  may_nan_ = may_nan_ || factor.may_nan;
  may_inf_ = may_inf_ || factor.may_inf;
  if (is_definite_nan(factor)) {
    nan_ = true;
    return;
  }
  if (is_definite_infinity(factor)) {
    infinite_ = true;
    mid_ *= factor.mid;
    return;
  }
  const double magnitude = reach(factor);
  const double product = mid_ * factor.mid;
  const bool by_zero = mid_ == 0 || factor.mid == 0;
  lost_ = lost_ || (!by_zero && std::fabs(product) < 0x1p-960);
  exact_ = exact_ && factor.radius == 0 && (by_zero || std::fma(mid_, factor.mid, -product) == 0);
  zero_possible_ = zero_possible_ || contains_zero(factor);
  exact_zero_ = exact_zero_ || (factor.mid == 0 && factor.radius == 0 && !factor.may_inf);
  mid_ = product;
  high_ *= magnitude;
  largest_ *= std::max(magnitude, 1.0);
  smallest_ *= std::min(clearance(factor), 1.0);
  factors_ += 1;
}

// A part of the product has no more odd bits than the whole, so it fits where the whole does.
bool BallProduct::exact_in_any_order() const {
  if (!exact_ || lost_) return false;
  if (mid_ == 0) return exact_zero_;
  return std::ilogb(mid_) - lowest_bit(mid_) < info(math_->dtype()).precision;
}

Ball BallProduct::result() const {
  if (undecided_ != Undecided::No) return Ball::unknown(undecided_);
  if (nan_) return Ball::exact(nan);
  const DTypeInfo& format = info(math_->dtype());
  const bool overflow = largest_ * (1 + factors_ * 0x1p-50) >= format.max_finite;
  const bool underflow = smallest_ * (1 - factors_ * 0x1p-50) <= format.smallest_normal;
  if (infinite_) {
    if (exact_zero_) return Ball::exact(nan);
    if (zero_possible_ || may_inf_ || underflow) return Ball::unknown(Undecided::Unbounded);
    return {mid_, 0, may_nan_, false, Undecided::No};
  }
  Ball product;
  if (exact_zero_ && !overflow && !may_inf_) {
    product = Ball::exact(0);
  } else if (exact_in_any_order() && !overflow && !underflow) {
    product = math_->rounded(mid_, 0, true);
  } else {
    if (!std::isfinite(largest_) || lost_) return Ball::unknown(Undecided::Unbounded);
    const double roundings = std::max(factors_ - 1, 0.0);
    const double unit_roundoff = math_->profile().unit_roundoff(math_->dtype());
    const double spread = high_ - std::fabs(mid_) + factors_ * 0x1p-51 * high_;
    double error =
        relative_error(roundings, unit_roundoff) * high_ + (underflow ? factors_ * math_->rounding(0) * largest_ : 0);
    // Rounded toward zero, a partial product stays at the largest number, and the rest makes anything down to 0 of it.
    if (overflow && math_->profile().rounding_mode_open) error += std::fabs(mid_);
    product = math_->with_error(mid_, spread, error * (1 + factors_ * 0x1p-50));
  }
  if (!product.decided()) return product;
  product.may_nan = product.may_nan || may_nan_ || ((may_inf_ || overflow) && (zero_possible_ || underflow));
  product.may_inf = product.may_inf || may_inf_ || overflow;
  return product;
}

}  // namespace parallax
