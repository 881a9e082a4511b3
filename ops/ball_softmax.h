// BallSoftmax: softmax, its logarithm and logsumexp of one lane, sound for what computes exp(x - max(x)) and sums it in
// any order.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "ops/ball_math.h"

namespace parallax {

class BallSoftmax {
 public:
  // `math` is of the accumulator's dtype; intermediates may be stored in `stored`, the result's dtype, as eager does
  // with those of halves. The lane is kept by reference.
  BallSoftmax(const BallMath& math, std::span<const Ball> lane, DType stored);

  // exp(x_k) / sum exp(x_j): NaN throughout where some element is NaN or +inf or all are -inf.
  Ball probability(std::size_t k) const;
  // The logarithm of that, computed as (x_k - max) - log(sum).
  Ball log_probability(std::size_t k) const;
  // log(sum exp(x_j)); -inf of nothing.
  Ball log_sum() const;

 private:
  // What an element takes over from the whole lane: undecided, NaN. False where the lane is one of numbers.
  bool taken_over(Ball& result) const;
  Ball with_flags(Ball ball) const;
  // Of an implementation's logarithm of the sum.
  double log_error() const;
  // |x_k - max(x)| at most.
  double distance(std::size_t k) const;
  // Bounds of the sum of the other elements' exponentials, relative to exp(reference_).
  double others_low(std::size_t k) const;
  double others_high(std::size_t k) const;
  // The highest end that some other element is not below; -inf where there is none.
  double highest_low_of_others(std::size_t k) const;

  const BallMath* math_;
  std::span<const Ball> lane_;
  Undecided undecided_ = Undecided::No;
  bool nan_ = false;
  bool may_nan_ = false;
  bool plus_infinity_ = false;
  bool nothing_ = true;   // no element but -inf
  double reference_ = 0;  // the highest end of a ball; all exponentials are taken relative to it
  double widest_ = 0;     // the largest radius of an element that may be the maximum
  // The highest end of an element that is, or may be, -inf.
  double highest_mask_ = -std::numeric_limits<double>::infinity();
  std::vector<double> low_;  // exp of the elements' ends and centres
  std::vector<double> mid_;
  std::vector<double> high_;
  double sum_low_ = 0;
  double sum_mid_ = 0;
  double sum_high_ = 0;
  double unit_roundoff_ = 0;      // of the subtraction of the maximum
  double exponential_error_ = 0;  // relative, of an implementation's exponential
  double sum_error_ = 0;          // and of their sum
  double store_error_ = 0;        // of what is stored
};

// log(sum exp) of a growing lane, where each step adds one element to the logarithm so far: logcumsumexp.
class BallLogAddExp {
 public:
  explicit BallLogAddExp(const BallMath& math) : math_(&math) {}
  void add(const Ball& x);
  Ball result() const;

 private:
  const BallMath* math_;
  Undecided undecided_ = Undecided::No;
  bool nan_ = false;
  bool may_nan_ = false;
  bool nothing_ = true;  // no element but -inf
  bool plus_infinity_ = false;
  double low_ = 0;
  double mid_ = 0;
  double high_ = 0;
  double error_ = 0;
};

}  // namespace parallax
