#include "ops/ball_softmax.h"

#include <algorithm>
#include <cmath>

#include "core/limits.h"
#include "ops/ball_moments.h"
#include "ops/ball_sum.h"

namespace parallax {
namespace {

// libm's double functions stay within 4 units in the last place, and a few operations follow.
constexpr double centre_error = 0x1p-48;
// Below it an exponential has lost digits.
constexpr double smallest_exponential = 0x1p-1000;

// The relative error that the profile allows an exponential: units of at most 2 u each. Beyond 104 it is 0.
double exponential_relative(const BallMath& math, double distance) {
  const double ulp = math.as(FunctionKind::Exp, std::min(distance, 104.0)).function().ulp;
  return 2 * ulp * info(math.dtype()).unit_roundoff;
}

// The absolute error of an exponential beside that: vectorised ones (eager's on AVX-512, oneDNN's) give 0 where the
// result is subnormal.
double exponential_absolute(const BallMath& math) {
  const FunctionError& exponential = math.profile().error_of(FunctionKind::Exp, math.dtype());
  const DTypeInfo& format = info(math.dtype());
  const bool vectorised = format.unit_roundoff <= info(DType::F32).unit_roundoff || math.profile().flush_to_zero;
  const double underflow = vectorised ? format.smallest_normal : (1 + exponential.ulp) * format.smallest_subnormal;
  return underflow + exponential.absolute;
}

bool is_minus_infinity(const Ball& x) { return is_definite_infinity(x) && x.mid < 0; }

double log_add(double a, double b) {
  const double larger = std::max(a, b);
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

}  // namespace

BallSoftmax::BallSoftmax(const BallMath& math, std::span<const Ball> lane, DType stored) : math_(&math), lane_(lane) {
  double surely_reached = -infinity;
  for (const Ball& x : lane) {
    // An infinity of unknown sign decides everything or counts for nothing.
    const bool open = x.decided() && x.may_inf && can_be_plus_infinity(x);
    if (undecided_ == Undecided::No) undecided_ = open ? Undecided::Unbounded : x.undecided;
    nan_ = nan_ || is_definite_nan(x);
    may_nan_ = may_nan_ || x.may_nan;
    // What may be -inf is not counted on.
    if (is_definite_nan(x) || can_be_minus_infinity(x)) {
      highest_mask_ = std::max(highest_mask_, is_minus_infinity(x) ? x.mid : x.high());
      continue;
    }
    plus_infinity_ = plus_infinity_ || is_definite_infinity(x);
    reference_ = nothing_ ? x.high() : std::max(reference_, x.high());
    surely_reached = std::max(surely_reached, x.low());
    nothing_ = false;
  }
  for (const Ball& x : lane) {
    if (std::isfinite(x.mid) && x.high() >= surely_reached) widest_ = std::max(widest_, x.radius);
  }
  // Masks alone, or one that may be the maximum.
  const bool reachable = highest_mask_ > (nothing_ ? -infinity : reference_);
  if (undecided_ == Undecided::No && !nan_ && !plus_infinity_ && reachable) undecided_ = Undecided::Unbounded;
  if (undecided_ != Undecided::No || nan_ || plus_infinity_ || nothing_) return;
  double weighted = 0;
  for (std::size_t k = 0; k < lane.size(); ++k) {
    const bool zero = is_minus_infinity(lane[k]);
    low_.push_back(can_be_minus_infinity(lane[k]) ? 0 : std::exp(lane[k].low() - reference_));
    mid_.push_back(zero ? 0 : std::exp(lane[k].mid - reference_));
    high_.push_back(zero ? 0 : std::exp(lane[k].high() - reference_));
    sum_low_ += low_.back();
    sum_mid_ += mid_.back();
    sum_high_ += high_.back();
  }
  store_error_ = stored == math.dtype() ? 0 : math.profile().unit_roundoff(stored);
  unit_roundoff_ = std::max(math.profile().unit_roundoff(math.dtype()), store_error_);
  double farthest = 0;
  for (std::size_t k = 0; k < lane.size(); ++k) {
    if (!is_minus_infinity(lane[k])) farthest = std::max(farthest, distance(k));
  }
  exponential_error_ = exponential_relative(math, farthest) + store_error_;
  for (std::size_t k = 0; k < lane.size(); ++k) {
    // An element's share of the sum is at most 1, whatever the radii are.
    const double share = std::min(1.0, sum_low_ > 0 ? high_[k] / sum_low_ : 1.0);
    if (!is_minus_infinity(lane[k])) weighted += share * distance(k);
  }
  const auto count = static_cast<double>(lane.size());
  // The subtraction of the maximum, the exponentials, their sum; what is lost below the normals beside a sum of 1.
  const double summing = relative_error(count, math.profile().unit_roundoff(math.dtype())) + store_error_;
  sum_error_ =
      std::expm1(unit_roundoff_ * weighted + exponential_error_ + summing) + count * exponential_absolute(math);
}

// The logarithm lies between 0 and that of the number of elements, where the maximum is one of them.
double BallSoftmax::log_error() const {
  const double most = std::log(static_cast<double>(lane_.size()) + 1);
  return sum_error_ + math_->function_error(most) + store_error_ * most;
}

double BallSoftmax::distance(std::size_t k) const { return reference_ - lane_[k].mid + lane_[k].radius + widest_; }

double BallSoftmax::others_low(std::size_t k) const {
  const double slack = static_cast<double>(lane_.size()) * centre_error * sum_low_;
  return std::max(sum_low_ - low_[k] - slack, 0.0);
}

double BallSoftmax::others_high(std::size_t k) const {
  return std::max(sum_high_ - high_[k], 0.0) + static_cast<double>(lane_.size()) * centre_error * sum_high_;
}

double BallSoftmax::highest_low_of_others(std::size_t k) const {
  double highest = -infinity;
  for (std::size_t j = 0; j < lane_.size(); ++j) {
    if (j != k && !can_be_minus_infinity(lane_[j])) highest = std::max(highest, lane_[j].low());
  }
  return highest;
}

bool BallSoftmax::taken_over(Ball& result) const {
  if (undecided_ != Undecided::No) {
    result = Ball::unknown(undecided_);
  } else if (nan_ || plus_infinity_ || nothing_) {
    result = Ball::exact(nan);
  } else {
    return false;
  }
  return true;
}

Ball BallSoftmax::with_flags(Ball ball) const {
  ball.may_nan = ball.may_nan || may_nan_;
  return ball;
}

Ball BallSoftmax::probability(std::size_t k) const {
  Ball result;
  if (taken_over(result)) return result;
  if (is_minus_infinity(lane_[k])) return with_flags(Ball::exact(0));
  // Larger with the element, smaller with the others.
  const double below = low_[k] + others_high(k);
  const double above = high_[k] + others_low(k);
  const double low = below > 0 ? low_[k] / below : 0;
  // Where the lane's ends lie far apart, an exponential relative to the highest is 0, and relative to the others is
  // not.
  const bool underflows = high_[k] < smallest_exponential;
  const double high = underflows  ? std::min(1.0, std::exp(lane_[k].high() - highest_low_of_others(k)))
                      : above > 0 ? high_[k] / above
                                  : 1;
  const double mid = std::clamp(sum_mid_ > 0 ? mid_[k] / sum_mid_ : 0, low, high);
  // The numerator's subtraction and exponential, and a division or a multiplication by a reciprocal.
  const double exponent = unit_roundoff_ * (distance(k) + 2) + exponential_error_;
  // Of a mask's exponential nothing is left, however large the rounding of its distance is.
  const double numerator = exponent < 1 ? high * std::expm1(exponent)
                           : underflows
                               ? std::min(1.0, std::exp(lane_[k].high() - highest_low_of_others(k) + exponent))
                               : std::exp(lane_[k].high() - reference_ + exponent) / std::max(above, 0x1p-1000);
  const double centre = static_cast<double>(lane_.size()) * centre_error * high;
  const double absolute = 2 * exponential_absolute(*math_) + math_->profile().underflow(math_->dtype());
  return with_flags(not_negative(math_->with_error(mid, std::max(high - mid, mid - low) + centre,
                                                   numerator * (1 + sum_error_) + high * sum_error_ + absolute)));
}

Ball BallSoftmax::log_probability(std::size_t k) const {
  Ball result;
  if (taken_over(result)) return result;
  if (is_minus_infinity(lane_[k])) return with_flags(Ball::exact(-infinity));
  const Ball& x = lane_[k];
  const double low = (x.low() - reference_) - std::log(low_[k] + others_high(k));
  const double high = (x.high() - reference_) - std::log(high_[k] + others_low(k));
  if (!std::isfinite(low) || !std::isfinite(high)) return Ball::unknown(Undecided::Unbounded);
  const double mid = std::clamp((x.mid - reference_) - std::log(sum_mid_), low, high);
  const double most = std::max(std::fabs(low), std::fabs(high));
  const double count = static_cast<double>(lane_.size());
  const double error = unit_roundoff_ * distance(k) + log_error() + math_->rounding(most + sum_error_);
  const double centre = count * centre_error * (1 + distance(k));
  const Ball finite = math_->with_error(mid, std::max(high - mid, mid - low) + centre, error);
  return with_flags(can_be_minus_infinity(x) ? including(finite, -infinity) : finite);
}

Ball BallSoftmax::log_sum() const {
  if (undecided_ != Undecided::No) return Ball::unknown(undecided_);
  if (nan_) return Ball::exact(nan);
  if (nothing_) return with_flags(Ball::exact(-infinity));
  if (plus_infinity_) return with_flags(Ball::exact(infinity));
  if (sum_low_ == 0) return Ball::unknown(Undecided::Unbounded);
  const double low = reference_ + std::log(sum_low_);
  const double high = reference_ + std::log(sum_high_);
  const double mid = std::clamp(reference_ + std::log(sum_mid_), low, high);
  const double most = std::max(std::fabs(low), std::fabs(high));
  const double count = static_cast<double>(lane_.size());
  const double error = log_error() + math_->rounding(most + sum_error_);
  const double centre = centre_error * (count + most);
  return with_flags(math_->with_error(mid, std::max(high - mid, mid - low) + centre, error));
}

// One step, max + log1p(exp(min - max)), hands on no more than the error it finds, and adds: 0.28 u by the difference
// (d sigmoid(-d) <= 0.28), half the exponential's relative error (its share is at most 1/2), the logarithm's error
// below log 2, and a rounding of the result.
void BallLogAddExp::add(const Ball& x) {
  const Undecided reason = x.decided() && x.may_inf ? Undecided::Unbounded : x.undecided;
  if (undecided_ == Undecided::No) undecided_ = reason;
  nan_ = nan_ || is_definite_nan(x);
  may_nan_ = may_nan_ || x.may_nan;
  if (undecided_ != Undecided::No || is_definite_nan(x) || is_minus_infinity(x)) return;
  plus_infinity_ = plus_infinity_ || is_definite_infinity(x);
  if (is_definite_infinity(x)) return;
  low_ = nothing_ ? x.low() : log_add(low_, x.low());
  mid_ = nothing_ ? x.mid : log_add(mid_, x.mid);
  high_ = nothing_ ? x.high() : log_add(high_, x.high());
  nothing_ = false;
  const double most = std::max(std::fabs(low_), std::fabs(high_)) + error_;
  error_ += 0.28 * math_->profile().unit_roundoff(math_->dtype()) + exponential_relative(*math_, high_ - low_) / 2 +
            math_->function_error(0.7) + math_->rounding(most) + centre_error * (1 + most);
}

Ball BallLogAddExp::result() const {
  if (undecided_ != Undecided::No) return Ball::unknown(undecided_);
  if (nan_) return Ball::exact(nan);
  Ball result;
  if (plus_infinity_ || nothing_) {
    result = Ball::exact(plus_infinity_ ? infinity : -infinity);
  } else {
    result = math_->with_error(mid_, std::max(high_ - mid_, mid_ - low_), error_);
  }
  if (result.decided()) result.may_nan = result.may_nan || may_nan_;
  return result;
}

}  // namespace parallax
