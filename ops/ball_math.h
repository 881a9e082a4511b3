// BallMath: arithmetic on balls. Each operation's ball holds every result that a conforming implementation may return,
// whether it rounds to the dtype after the operation or not (docs/oracle.md gives the formulas and their sources).
//
// Centres are computed in double; where that computation is not exact, the radius takes its error too. Operands that
// are known exactly and whose real result the dtype holds give a radius of 0, so one unit in the last place of error is
// proof.
#pragma once

#include "core/call_profile.h"
#include "ops/ball.h"

namespace parallax {

// The sets that balls stand for: a finite interval, plus NaN and the infinities where the flags say so. A definite
// infinity with the infinities' flag is one whose sign is not known.
inline bool is_definite_nan(const Ball& ball) { return std::isnan(ball.mid); }
inline bool is_definite_infinity(const Ball& ball) { return std::isinf(ball.mid); }
// Whether some value of the ball is an infinity.
inline bool can_be_infinite(const Ball& ball) { return ball.may_inf || is_definite_infinity(ball); }
// Whether some value of the ball is the infinity of that sign.
inline bool can_be_plus_infinity(const Ball& ball) {
  return can_be_infinite(ball) && (ball.mid > 0 || (ball.may_inf && !ball.may_inf.is_of_one_sign()));
}
inline bool can_be_minus_infinity(const Ball& ball) {
  return can_be_infinite(ball) && (ball.mid < 0 || (ball.may_inf && !ball.may_inf.is_of_one_sign()));
}
// The ends of what the ball stands for, infinities included.
inline double lowest(const Ball& ball) {
  return can_be_minus_infinity(ball) ? -std::numeric_limits<double>::infinity() : ball.low();
}
inline double highest(const Ball& ball) {
  return can_be_plus_infinity(ball) ? std::numeric_limits<double>::infinity() : ball.high();
}
// What a ball around `mid` has to say of the infinities that it may be.
inline MayInf infinities(bool minus, bool plus, double mid) {
  const bool one_sign = minus ? !plus && mid < 0 : plus && mid > 0;
  return one_sign ? MayInf::of_one_sign() : MayInf(minus || plus);
}
// Whether some value of the ball is a NaN.
inline bool can_be_nan(const Ball& ball) { return ball.may_nan || is_definite_nan(ball); }
// Whether 0 lies in the finite interval.
inline bool contains_zero(const Ball& ball) { return std::fabs(ball.mid) <= ball.radius; }

// The ball of [low, high]; unbounded where an end is beyond double.
Ball ball_of_interval(double low, double high);
// The smallest ball around everything in either; undecided if either is.
Ball hull(const Ball& a, const Ball& b);
// The same of one ball or more, in whatever order they stand.
Ball hull_of(std::span<const Ball> balls);
// The ball with `x` (a NaN or an infinity too) added to its set.
Ball including(const Ball& ball, double x);
// Whether the ball is a definite infinity whose sign is not known.
inline bool is_infinity_of_open_sign(const Ball& x) { return x.decided() && x.may_inf && is_definite_infinity(x); }
// A function that need not know of infinities without a known sign: what it gives for either of them.
template <class Function>
Ball by_sign(const Ball& x, Function&& function) {
  if (!is_infinity_of_open_sign(x)) return function(x);
  Ball infinity = x;
  infinity.may_inf = false;
  const Ball result = function(infinity);
  infinity.mid = -infinity.mid;
  return hull(result, function(infinity));
}

// The same for a function of two.
template <class Function>
Ball by_signs(const Ball& x, const Ball& y, Function&& function) {
  return by_sign(x, [&](const Ball& a) { return by_sign(y, [&](const Ball& b) { return function(a, b); }); });
}

// What the errors of the operands make of a result: a bound, and a deviation where it is known to be smaller.
struct Inherited {
  double radius = 0;
  double deviation = 0;

  Inherited(double bound) : radius(bound), deviation(bound) {}
  Inherited(double bound, double standard) : radius(bound), deviation(standard) {}
  // An operand's own, handed on.
  explicit Inherited(const Ball& operand) : radius(operand.radius), deviation(operand.spread()) {}
};

// Arithmetic into one dtype under one profile. Operands are values of that dtype (cast them first, ops/cast.h).
class BallMath {
 public:
  BallMath(DType dtype, const CallProfile& profile);

  DType dtype() const { return dtype_; }
  // What function_error() allows.
  const FunctionError& function() const { return function_; }
  // The same arithmetic with the profile's error of that function of operands up to `operand` in magnitude: what
  // function_error() and the frames below allow.
  BallMath as(FunctionKind kind, double operand = 0) const;
  const CallProfile& profile() const { return profile_; }
  bool allows(Form form) const { return profile_.allows(form); }

  // Operands of a smaller magnitude may count as 0; 0 where none does.
  double flushed_below() const {
    const bool has_own_arithmetic = dtype_ == DType::F32 || dtype_ == DType::F64;
    return profile_.flushes_operands && has_own_arithmetic ? info(dtype_).smallest_normal : 0;
  }
  // Whether the dtype holds x and no rounding touches it.
  bool holds(double x) const;
  // The error of one rounding of a value of at most that magnitude: half a unit in its last place (all of it where the
  // rounding mode is open), and what flushing a subnormal takes.
  double rounding(double magnitude) const;
  // The allowed error of a transcendental function (that of as(), or any other) whose results reach `magnitude`.
  double function_error(double magnitude) const;
  // The ball of a result whose centre is `mid` and whose error inherited from the operands is `inherited`, rounded
  // once. `exact`: mid is the real result of the operands' centres, not its double rounding.
  Ball rounded(double mid, Inherited inherited, bool exact) const;
  // Like rounded(), for a function result: `error` is the allowed error of the implementation.
  Ball with_error(double mid, Inherited inherited, double error) const;
  // A Python number as an operand: implementations may or may not round it to the dtype first, or to that of the
  // elements where the arithmetic is wider.
  Ball scalar(double x) const;
  // The same arithmetic for the elements of a narrower dtype.
  BallMath of_elements(DType dtype) const;

  Ball add(const Ball& a, const Ball& b) const;
  Ball sub(const Ball& a, const Ball& b) const;
  Ball mul(const Ball& a, const Ball& b) const;
  Ball div(const Ball& a, const Ball& b) const;
  Ball maximum(const Ball& a, const Ball& b) const;
  Ball minimum(const Ball& a, const Ball& b) const;

  // The same where both operands are one storage element, and therefore one number.
  Ball sub_same(const Ball& a) const;
  Ball mul_same(const Ball& a) const;
  Ball div_same(const Ball& a) const;

  Ball neg(const Ball& x) const;
  Ball abs(const Ball& x) const;
  Ball relu(const Ball& x) const;
  Ball sqrt(const Ball& x) const;
  Ball exp(const Ball& x) const;
  Ball sigmoid(const Ball& x) const;
  Ball tanh(const Ball& x) const;
  Ball acos(const Ball& x) const;
  Ball acosh(const Ball& x) const;
  Ball sin(const Ball& x) const;
  Ball cos(const Ball& x) const;

  // The frames of these functions, for more of their kind (ops/ball_functions.h).
  using Function = double (*)(double);
  // The allowed error where results reach from `least` to `most` in magnitude.
  using ErrorOf = double (BallMath::*)(double least, double most) const;
  // function_error() of the largest result.
  double ordinary_error(double least, double most) const;
  // The image under a function that is monotone on its closed domain; NaN outside it.
  Ball monotone(const Ball& x, Function f, double domain_low, double domain_high, ErrorOf error) const;

 private:
  bool keeps_zero(const Ball& x, Function f) const;
  Ball kept_in_range(const Ball& result, double first, double last) const;
  Ball trigonometric(const Ball& x, Function f, Function derivative) const;
  double root_error(double least, double most) const;
  double sigmoid_error(double least, double most) const;
  // The error of a division or a root: IEEE 754's rounding, or what the profile says.
  double ieee_error(FunctionKind kind, double most) const;
  Ball finite(double mid, double radius, double deviation) const;
  // Like with_error(), where the error is that of one rounding.
  Ball rounded_within(double mid, Inherited inherited, double error) const;

  DType dtype_;
  DType element_dtype_;
  CallProfile profile_;
  FunctionError function_;
  double unit_roundoff_;
  double underflow_;
  double largest_;
};

// Three-valued comparison: 1 or 0 where every pair of values agrees, undecided otherwise. NaN compares false.
IntegerBall less(const Ball& a, const Ball& b);
IntegerBall less_equal(const Ball& a, const Ball& b);
IntegerBall equal(const Ball& a, const Ball& b);
// x == x: false for NaN only.
IntegerBall equal_same(const Ball& x);

}  // namespace parallax
