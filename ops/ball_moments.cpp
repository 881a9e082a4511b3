#include "ops/ball_moments.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/limits.h"
#include "ops/ball_sum.h"

namespace parallax {
namespace {

// What is known of an operand, and on top of it `error` at most, `typical` as a standard deviation.
Inherited with_typical(double inherited, double error, double typical) {
  return {inherited + error, std::sqrt(inherited * inherited + typical * typical)};
}

}  // namespace

Ball divided_by_count(const BallMath& math, const Ball& sum, int64_t count) {
  const Ball mean = math.div(sum, Ball::exact(static_cast<double>(count)));
  if (count == 0 || std::has_single_bit(static_cast<uint64_t>(count)) || !mean.decided() || !std::isfinite(mean.mid))
    return mean;
  // A zero stays a zero either way.
  if (mean.mid == 0 && mean.radius == 0) return mean;
  Ball wider = math.with_error(mean.mid, Inherited(mean), 2 * math.rounding(reach(mean)));
  wider.may_nan = wider.may_nan || mean.may_nan;
  wider.may_inf = wider.may_inf || mean.may_inf;
  return wider;
}

Ball not_negative(const Ball& ball) {
  if (!ball.decided() || !std::isfinite(ball.mid) || ball.low() >= 0) return ball;
  Ball clipped = ball_of_interval(0, std::max(ball.high(), 0.0));
  clipped.may_nan = ball.may_nan;
  clipped.may_inf = bool(ball.may_inf);
  return clipped;
}

// Welford's mean_k = mean_{k-1} + delta_k / k rounds the mean and twice the step, and shrinks what was wrong before by
// 1 - 1/k: k times its error is at most u times the sum over 1 < j <= k of j |mean_j| + 2 |delta_j|. With S the sum of
// all magnitudes, j |mean_j| <= S and |delta_j| <= |x_j| + S / (j - 1), so that no error of a mean of the first k
// passes 5/3 u S (reached at k = 3 and 4). A plain sum and its division, and means merged from parts, stay below it.
BallMoments::BallMoments(const BallMath& math, std::span<const Ball> lane)
    : math_(&math), lane_(lane), count_(static_cast<double>(lane.size())) {
  double sum = 0;
  double centres = 0;
  double most = 0;
  for (const Ball& x : lane) {
    if (!x.decided() && undecided_ == Undecided::No) undecided_ = x.undecided;
    nan_ = nan_ || is_definite_nan(x);
    infinite_ = infinite_ || is_definite_infinity(x);
    may_nan_ = may_nan_ || x.may_nan;
    may_inf_ = may_inf_ || x.may_inf;
    sum += x.mid;
    centres += std::fabs(x.mid);
    radii_ += x.radius;
    most = std::max(most, reach(x));
  }
  if (lane.empty() || undecided_ != Undecided::No || nan_ || infinite_) return;
  trivial_ = lane.size() == 1 || (centres == 0 && radii_ == 0);
  mean_ = sum / count_;
  magnitude_ = (centres + radii_) / count_;
  const double largest = info(math.dtype()).max_finite;
  overflow_ = 2 * magnitude_ * count_ >= largest;
  squares_overflow_ = 2 * most * most >= largest;
  if (trivial_) return;
  const CallProfile& profile = math.profile();
  centre_error_ = (count_ + 1) * 0x1p-52 * centres / count_;
  mean_error_ = relative_error(count_ * 5 / 3 + 1, profile.unit_roundoff(math.dtype())) * magnitude_ +
                count_ * profile.underflow(math.dtype());
  // Rounded toward zero, sums stay at the largest number; what they come to is still no more than the sum of
  // magnitudes.
  if (overflow_ && profile.rounding_mode_open) mean_error_ += 2 * magnitude_;
  typical_share_ = profile.rounding_mode_open ? 1 : 1 / std::sqrt(count_);
}

bool BallMoments::taken_over(Ball& result) const {
  if (undecided_ != Undecided::No) {
    result = Ball::unknown(undecided_);
  } else if (nan_ || lane_.empty()) {
    result = Ball::exact(nan);
  } else {
    return false;
  }
  return true;
}

// Its own radius counts less 1/n of it, the others' 1/n of theirs.
double BallMoments::inherited(std::size_t k) const {
  const double own = lane_[k].radius;
  return own * (1 - 1 / count_) + std::max(radii_ - own, 0.0) / count_;
}

Ball BallMoments::mean() const {
  Ball mean;
  if (taken_over(mean)) return mean;
  BallSum sum(*math_);
  for (const Ball& x : lane_) sum.add(x);
  mean = divided_by_count(*math_, sum.result(), static_cast<int64_t>(lane_.size()));
  mean.may_nan = mean.may_nan || may_inf_;  // as below
  if (trivial_ || !mean.decided()) return mean;
  if (is_definite_infinity(mean)) {
    // Welford's next step from an infinite mean is inf - inf, and so is the merging of parts that are empty.
    mean.may_nan = true;
    return mean;
  }
  if (!std::isfinite(mean.mid)) return mean;
  const Inherited known = with_typical(radii_ / count_ + centre_error_, mean_error_, typical_share_ * mean_error_);
  Ball wider = math_->with_error(mean_, known, 0);
  if (!wider.decided()) return wider;
  wider.may_nan = wider.may_nan || mean.may_nan;
  wider.may_inf = wider.may_inf || mean.may_inf;
  return wider;
}

Ball BallMoments::deviation(std::size_t k) const {
  Ball deviation;
  if (taken_over(deviation)) return deviation;
  // inf - inf for the infinite elements, and an infinity or, by Welford's mean, NaN for the others.
  if (infinite_) return is_definite_infinity(lane_[k]) ? Ball::exact(nan) : Ball::unknown(Undecided::Unbounded);
  if (trivial_) return {0, 0, may_nan_ || may_inf_, false, Undecided::No};
  const double mid = lane_[k].mid - mean_;
  const double known = inherited(k) + centre_error_ + 0x1p-52 * std::fabs(mid);
  deviation = math_->rounded(mid, with_typical(known, mean_error_, typical_share_ * mean_error_), false);
  if (!deviation.decided()) return deviation;
  deviation.may_nan = deviation.may_nan || may_nan_ || may_inf_ || overflow_;
  deviation.may_inf = deviation.may_inf || may_inf_ || overflow_;
  return deviation;
}

// An error e of the (partial) means goes into the sum of squares by 2 |d| e + e^2 a term. Over the deviations from the
// mean the |d| add up to at most sqrt(n S), over Welford's running deviations and over the differences of the parts
// that Chan's formula merges to at most twice that. The differences, their products and the sum round n + 6 times.
// Merging a part with an empty one takes the square of its mean, 0 times: NaN where that square overflows.
Ball BallMoments::squares() const {
  Ball squares;
  if (taken_over(squares)) return squares;
  if (infinite_) return Ball::exact(nan);
  if (trivial_) {
    squares.may_nan = may_nan_ || may_inf_ || squares_overflow_;
    return squares;
  }
  double mid = 0;
  double own = 0;
  for (std::size_t k = 0; k < lane_.size(); ++k) {
    const double deviation = lane_[k].mid - mean_;
    const double error = inherited(k) + centre_error_ + 0x1p-52 * std::fabs(deviation);
    mid += deviation * deviation;
    own += 2 * std::fabs(deviation) * error + error * error;
  }
  const CallProfile& profile = math_->profile();
  own += (count_ + 2) * 0x1p-52 * (mid + own);
  const double most = mid + own;
  const double by_mean = 4 * mean_error_ * std::sqrt(count_ * most) + count_ * mean_error_ * mean_error_;
  double rounding = relative_error(count_ + 6, profile.unit_roundoff(math_->dtype())) * (most + by_mean) +
                    count_ * profile.underflow(math_->dtype());
  if (profile.allows(Form::OnePassVariance)) rounding += one_pass_error();
  if (profile.rounding_mode_open && most + by_mean + rounding >= info(math_->dtype()).max_finite)
    rounding += most + by_mean;  // likewise
  const double error = by_mean + rounding;
  squares = math_->with_error(mid, with_typical(own, error, typical_share_ * error), 0);
  // In one pass it may come out just under 0.
  if (!profile.allows(Form::OnePassVariance)) squares = not_negative(squares);
  if (!squares.decided()) return squares;
  const bool overflow = overflow_ || squares.high() >= info(math_->dtype()).max_finite;
  squares.may_nan = squares.may_nan || may_nan_ || may_inf_ || overflow || squares_overflow_;
  squares.may_inf = squares.may_inf || overflow;
  return squares;
}

// Of sum x^2 - (sum x)^2 / n: n + 3 roundings of each of the two, and neither is over the sum of squares.
double BallMoments::one_pass_error() const {
  double squares = 0;
  for (const Ball& x : lane_) squares += reach(x) * reach(x);
  return 2 * relative_error(count_ + 3, math_->profile().unit_roundoff(math_->dtype())) * squares;
}

Ball BallMoments::variance(double correction) const {
  const Ball sum = squares();
  if (!sum.decided() || is_definite_nan(sum)) return sum;
  const double divisor = std::max(count_ - correction, 0.0);
  if (divisor > 0) {
    const Ball variance = math_->div(sum, math_->scalar(divisor));
    return math_->allows(Form::OnePassVariance) ? variance : not_negative(variance);
  }
  if (sum.may_nan || sum.may_inf) return Ball::unknown(Undecided::Unbounded);
  if (sum.low() > 0) return Ball::exact(infinity);
  return sum.is_exact() ? Ball::exact(nan) : Ball::unknown(Undecided::Unbounded);
}

}  // namespace parallax
