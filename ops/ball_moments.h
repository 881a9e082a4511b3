// BallMoments: the mean, the deviations from it and the variance of a lane, sound for a variance that is computed in
// two passes, by Welford's recurrence or merged from parts (Chan), and, where the profile says so, as the mean of
// squares less the square of the mean, whose error is of another order.
#pragma once

#include <span>
#include <vector>

#include "ops/ball_math.h"

namespace parallax {

// A sum divided by a number of terms, or multiplied by that number's rounded reciprocal.
Ball divided_by_count(const BallMath& math, const Ball& sum, int64_t count);

// The ball without its negative part: what is a square, or clamped at 0, has none.
Ball not_negative(const Ball& ball);

class BallMoments {
 public:
  // `math` is of the accumulator's dtype. The lane is kept by reference.
  BallMoments(const BallMath& math, std::span<const Ball> lane);

  // NaN of an empty lane.
  Ball mean() const;
  // The squared deviations' sum divided by n - correction, or by 0 where the correction is larger.
  Ball variance(double correction) const;
  // Element k less the mean.
  Ball deviation(std::size_t k) const;

 private:
  // The squared deviations' sum.
  Ball squares() const;
  // What a result that depends on all elements takes over from them: undecided, NaN, infinite. False where it says
  // nothing, and the result is a number.
  bool taken_over(Ball& result) const;
  double inherited(std::size_t k) const;
  double one_pass_error() const;

  const BallMath* math_;
  std::span<const Ball> lane_;
  double count_;
  Undecided undecided_ = Undecided::No;
  bool nan_ = false;
  bool infinite_ = false;
  bool may_nan_ = false;
  bool may_inf_ = false;
  bool overflow_ = false;          // a sum of the elements may be infinite
  bool squares_overflow_ = false;  // the square of a partial mean may be
  bool trivial_ = false;           // one element, or nothing but zeros: no operation rounds
  double mean_ = 0;                // of the centres, in double
  double centre_error_ = 0;        // of that computation
  double radii_ = 0;               // the sum of the radii
  double magnitude_ = 0;           // the mean of |element| + radius
  double mean_error_ = 0;          // of an implementation's mean, or of one of its partial means
  // Of a worst case of about n roundings, what they come to as a standard deviation: they are independent, unless all
  // go toward zero.
  double typical_share_ = 1;
};

}  // namespace parallax
