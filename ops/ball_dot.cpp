#include "ops/ball_dot.h"

#include <algorithm>
#include <bit>

#include "core/limits.h"
#include "ops/ball_sum.h"

namespace parallax {
namespace {

// ldexp(1, exponent), which calls libm, where that is a normal number.
double power_of_two(int exponent) {
  if (exponent < -1022 || exponent > 1023) return std::ldexp(1.0, exponent);
  return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52);
}

bool is_zero(const Ball& ball) { return ball.mid == 0 && ball.radius == 0; }

}  // namespace

Factor::Factor(const Ball& value) : ball(value) {
  plain = is_plain(value);
  zero = is_zero(value);
  if (plain && value.mid != 0) lowest = lowest_bit(value.mid);
}

std::vector<Factor> factors_of(const BallView& view, const Layout& layout) {
  std::vector<Factor> factors;
  factors.reserve(static_cast<std::size_t>(layout.numel()));
  for_each_element(layout, [&](int64_t element) { factors.emplace_back(view.ball(element)); });
  return factors;
}

BallDot::BallDot(const BallMath& math) : math_(&math), accumulator_(accumulator_of(math)) {}

void BallDot::add(const Sums& sums) {
  mid_ += sums.mid;
  magnitude_ += sums.magnitude;
  squares_ += sums.squares;
  spread_ += sums.spread;
  variance_ += sums.variance;
  inexact_ = inexact_ || sums.inexact;
  lowest_ = std::min(lowest_, sums.lowest);
  products_ += static_cast<int64_t>(sums.products);
}

void BallDot::add_special(const Ball& a, const Ball& b) {
  const Ball product = math_->mul(a, b);
  if (!product.decided()) {
    if (undecided_ == Undecided::No) undecided_ = product.undecided;
    return;
  }
  may_nan_ = may_nan_ || product.may_nan || math_->allows(Form::Bf16Instructions);
  may_inf_terms_ += product.may_inf;
  if (is_definite_nan(product)) {
    nan_ = true;
  } else if (is_definite_infinity(product)) {
    (product.mid > 0 ? plus_infinity_ : minus_infinity_) = true;
    any_sign_ = any_sign_ || product.may_inf;
  } else if (!is_zero(a) && !is_zero(b)) {
    // What is not finite of it is noted; the rest is a product like any other.
    inexact_ = true;
    mid_ += a.mid * b.mid;
    magnitude_ += std::fabs(a.mid * b.mid);
    squares_ += a.mid * b.mid * (a.mid * b.mid);
    spread_ += std::fabs(a.mid) * b.radius + a.radius * reach(b);
    add_variance(a, b);
    ++products_;
  }
}

// TF32's and bf16's products, where the profile has them.
bool BallDot::rounds_factors() const {
  return math_->dtype() == DType::F32 && math_->profile().product_precision < info(DType::F32).precision;
}

// Every value on the way is a multiple of the same power of two, and none of them needs more bits than the narrowest
// dtype on the way has. A factor that is scaled first has no more odd bits than its product.
bool BallDot::on_exact_grid(double alpha, const Ball& addend, DType narrowest) const {
  if (inexact_ || addend.radius != 0 || rounds_factors()) return false;
  if (products_ == 0 || alpha == 0) return true;
  if (math_->allows(Form::FoldedFactors)) return false;
  const DTypeInfo& format = info(narrowest);
  // In f64 the bound itself is a rounded sum.
  const int precision = narrowest == DType::F64 ? format.precision - 1 : format.precision;
  const int least = std::ilogb(math_->profile().flush_to_zero ? format.smallest_normal : format.smallest_subnormal);
  if (lowest_ < least || magnitude_ > power_of_two(lowest_ + precision)) return false;
  if (alpha == 1 && addend.mid == 0) return true;
  if (!math_->holds(alpha)) return false;
  const int scaled = lowest_ + lowest_bit(alpha);
  const int lowest = addend.mid == 0 ? scaled : std::min(scaled, lowest_bit(addend.mid));
  return lowest >= least && std::fabs(alpha) * magnitude_ + std::fabs(addend.mid) <= power_of_two(lowest + precision);
}

// The error of alpha * sum + addend before it is stored, where something rounds: a rounding of each product, each
// addition and the scaling, on every term at most.
Inherited BallDot::error(double alpha, const Ball& addend, int64_t stored_parts) const {
  const CallProfile& profile = math_->profile();
  const double scale = std::fabs(alpha);
  const auto products = static_cast<double>(products_);
  const bool adds = addend.mid != 0 || addend.radius != 0;
  const bool scales = scale != 1;
  const double unit = profile.unit_roundoff(accumulator_);
  const double underflow = profile.underflow(accumulator_) * std::max(scale, 1.0);
  const double terms = magnitude_ + spread_;
  const double far = scale * terms + reach(addend);
  // Two reciprocals, their product, and the product with that.
  const double folded = profile.allows(Form::FoldedFactors) ? 4 : 0;
  const double roundings = products + adds + scales + folded;
  double error = scale * spread_ + addend.radius + relative_error(roundings, unit) * far + (roundings + 1) * underflow;
  double variance = scale * scale * (variance_ + rounding_variance(products, unit, squares_, mid_)) +
                    addend.spread() * addend.spread() + (adds + scales + folded) * unit * unit * far * far / 3;
  const auto also = [&](double rounding) {
    error += rounding;
    variance += rounding * rounding / 3;
  };
  if (!math_->holds(alpha)) also(scale * terms * profile.unit_roundoff(math_->dtype()));
  if (rounds_factors()) {
    const double of_each = std::ldexp(1.0, -profile.product_precision);
    error += scale * terms * (2 + of_each) * of_each;
    variance += scale * scale * squares_ * of_each * of_each * 2 / 3;
  }
  if (accumulator_ != math_->dtype()) {
    const double sum = std::fabs(mid_) + spread_ + relative_error(products, unit) * terms;
    if (adds || scales) also(scale * math_->rounding(sum));
    if (scales) also(math_->rounding(scale * sum));
    if (stored_parts > 0) {
      const auto parts = static_cast<double>(stored_parts);
      also(relative_error(parts + 1, profile.unit_roundoff(math_->dtype())) * far + (parts + 1) * math_->rounding(0));
    }
  }
  // The centre is a sum in double, and so are these bounds.
  return {(error + (products + 4) * 0x1p-53 * far) * (1 + (products + 8) * 0x1p-51), std::sqrt(variance)};
}

Ball BallDot::result(double alpha, const Ball& addend, int64_t stored_parts) const {
  if (undecided_ != Undecided::No) return Ball::unknown(undecided_);
  if (!addend.decided()) return addend;
  if (!std::isfinite(alpha)) {
    Ball scaled = math_->add(math_->mul(Ball::exact(alpha), result()), addend);
    // Times a factor of each product, which may be 0, and the infinities may differ in sign.
    scaled.may_nan = scaled.may_nan || (scaled.decided() && !is_definite_nan(scaled));
    return scaled;
  }
  // Where alpha is 0 an implementation need not look at the products at all.
  const bool special = nan_ || plus_infinity_ || minus_infinity_;
  if (is_definite_nan(addend) || (nan_ && alpha != 0)) return Ball::exact(nan);
  const bool stores_between = alpha != 1 || !is_zero(addend) || stored_parts > 0;
  const DType narrowest = stores_between ? math_->dtype() : accumulator_;
  const auto products = static_cast<double>(products_);
  const double far = std::max(std::fabs(alpha), 1.0) * (magnitude_ + spread_) * (1 + products * 0x1p-50) +
                     (is_definite_infinity(addend) ? 0 : reach(addend));
  const bool overflow = far >= info(narrowest).max_finite;
  const int may_be_infinite = may_inf_terms_ + addend.may_inf;
  if (alpha != 0 && (plus_infinity_ || minus_infinity_)) {
    const bool any_sign = any_sign_ || (is_definite_infinity(addend) && addend.may_inf);
    if (plus_infinity_ && minus_infinity_ && !any_sign) return Ball::exact(nan);
    const double infinite = (plus_infinity_ ? infinity : -infinity) * alpha;
    if (is_definite_infinity(addend) && addend.mid != infinite && !any_sign) return Ball::exact(nan);
    return {infinite, 0, may_nan_ || addend.may_nan || may_be_infinite > 0 || overflow, any_sign, Undecided::No};
  }
  if (is_definite_infinity(addend)) {
    return {addend.mid, 0, may_nan_ || addend.may_nan || special || may_inf_terms_ > 0 || overflow, addend.may_inf,
            Undecided::No};
  }
  const double value = alpha * mid_ + addend.mid;
  Ball sum;
  if (on_exact_grid(alpha, addend, narrowest) && !overflow) {
    sum = math_->rounded(value, 0, true);
  } else if (products_ == 0) {
    sum = addend;
  } else {
    Inherited inherited = error(alpha, addend, stored_parts);
    // Rounded toward zero, a partial sum stays at the largest number, and the rest makes another sum of it.
    if (overflow && math_->profile().rounding_mode_open) inherited.radius += 2 * far;
    const bool stores = accumulator_ != math_->dtype();
    sum = stores ? math_->rounded(value, inherited, false) : math_->with_error(value, inherited, 0);
  }
  if (!sum.decided()) return sum;
  sum.may_nan = sum.may_nan || may_nan_ || addend.may_nan || may_be_infinite > 1 || (may_be_infinite > 0 && overflow) ||
                overflow || (alpha == 0 && (special || may_be_infinite > 0));
  sum.may_inf = sum.may_inf || may_be_infinite > 0 || overflow;
  return sum;
}

}  // namespace parallax
