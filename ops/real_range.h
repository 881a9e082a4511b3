// RealRange: the numbers from one end to another that a step of arithmetic may have given, and the one that eager
// gives.
//
// A ball's radius grows with each step, and what is rounded to integers must not: the ends of a range are rounded by
// themselves. Rounding is optional in every step, as everywhere in the oracle (docs/oracle.md).
#pragma once

#include "core/call_profile.h"
#include "ops/ball.h"

namespace parallax {

struct RealRange {
  double low = 0;
  double high = 0;
  double value = 0;  // what eager has, step by step, where the operands are their centres
  bool may_nan = false;
  Undecided undecided = Undecided::No;

  static RealRange exact(double x);
  static RealRange between(double low, double high, double value) { return {low, high, value, false, Undecided::No}; }
  static RealRange of(const Ball& ball);
  static RealRange of(const IntegerBall& integer);

  // Whether it is one number, known exactly.
  bool is_point() const { return low == high && !may_nan && undecided == Undecided::No; }
  // As elements. An integer is cut to its dtype; over its ends eager defines none.
  IntegerBall to_integer(DType dtype) const;
  Ball to_ball() const;
};

// Both may be what an implementation has.
RealRange hull(const RealRange& a, const RealRange& b);

// Arithmetic of one dtype under a profile.
class RangeMath {
 public:
  RangeMath(DType dtype, const CallProfile& profile) : dtype_(dtype), profile_(profile) {}

  // Rounded to the dtype, or not.
  RealRange rounded(const RealRange& x) const;
  // Rounded in any case: what a conversion to the dtype stores.
  RealRange stored(const RealRange& x) const;
  RealRange add(const RealRange& a, const RealRange& b) const;
  RealRange sub(const RealRange& a, const RealRange& b) const;
  RealRange mul(const RealRange& a, const RealRange& b) const;
  RealRange div(const RealRange& a, const RealRange& b) const;
  // 1 / x, which is rounded in any case.
  RealRange reciprocal(const RealRange& x) const;
  RealRange minimum(const RealRange& a, const RealRange& b) const;
  RealRange maximum(const RealRange& a, const RealRange& b) const;
  // To a whole number: ties to even, or as the forms allow.
  RealRange whole(const RealRange& x) const;

 private:
  template <class F>
  RealRange monotone(const RealRange& x, F&& function) const;
  RealRange combined(const RealRange& a, const RealRange& b, double (*value)(double, double),
                     double (*error)(double, double, double)) const;

  DType dtype_;
  CallProfile profile_;
};

}  // namespace parallax
