// Sums and products of many balls, sound for every order of the operations.
#pragma once

#include "ops/ball_math.h"

namespace parallax {

// The dtype that sums of the results of `math` are carried in: f32 for halves, unless the profile carries them as they
// are.
DType accumulator_of(const BallMath& math);

// The relative error of n roundings, in any order (Higham's gamma_n); infinite where n u reaches a half.
double relative_error(double n, double unit_roundoff);

// The variance of what the roundings of a sum of n terms add up to, taken as independent: each partial sum is off by up
// to u of itself, evenly, and its square is at most about that of the whole or the sum of the terms' squares.
double rounding_variance(double n, double unit_roundoff, double squares, double sum);

// The power of two that the finite, non-zero x is an odd multiple of, as an exponent.
int lowest_bit(double x);

// A running sum. Where all terms are exact multiples of 2^q and their magnitudes add up to at most 2^(q + precision),
// every partial sum in any order is exact, and so is the result.
class BallSum {
 public:
  explicit BallSum(const BallMath& math);
  void add(const Ball& term);
  // The sum of what was added so far, in the dtype of `math`; 0 of nothing.
  Ball result() const;

 private:
  bool on_exact_grid() const;

  const BallMath* math_;
  DType accumulator_;
  Undecided undecided_ = Undecided::No;
  bool nan_ = false;
  bool may_nan_ = false;
  int may_inf_terms_ = 0;
  bool plus_infinity_ = false;
  bool minus_infinity_ = false;
  bool any_sign_ = false;  // one of those may have the other sign
  double mid_ = 0;
  double mid_error_ = 0;  // of the double additions that made mid_
  double radius_ = 0;     // of the terms
  double magnitude_ = 0;  // the sum of |term|
  double squares_ = 0;    // the sum of term^2
  double variance_ = 0;   // the sum of the terms' deviations, squared
  double terms_ = 0;      // that are not exactly 0: adding a zero does not round
  int lowest_ = 0;        // the smallest lowest_bit of the exact terms
};

// A running product; partial products round in the result's own dtype (eager multiplies halves as halves).
class BallProduct {
 public:
  explicit BallProduct(const BallMath& math) : math_(&math) {}
  void add(const Ball& factor);
  // The product of what was added so far; 1 of nothing.
  Ball result() const;

 private:
  bool exact_in_any_order() const;

  const BallMath* math_;
  Undecided undecided_ = Undecided::No;
  bool nan_ = false;
  bool may_nan_ = false;
  bool may_inf_ = false;
  bool infinite_ = false;       // some factor is an infinity
  bool zero_possible_ = false;  // some factor's ball holds 0
  bool exact_zero_ = false;     // some factor is 0, and is no infinity instead
  bool exact_ = true;           // every factor is, and every double product was
  bool lost_ = false;           // a double product came so near to 0 that it says little
  double mid_ = 1;
  double high_ = 1;      // the product of |factor| + radius
  double largest_ = 1;   // an upper bound of every partial product in any order
  double smallest_ = 1;  // a lower bound of their magnitudes
  double factors_ = 0;
};

}  // namespace parallax
