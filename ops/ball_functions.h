// Functions of one ball beside the members of BallMath: the same rules, as free functions over it.
//
// Where nothing else is said, an implementation may be off by BallMath::function_error(). What eager does was measured
// over the whole range of f32, and against long double in f64: every function here is within 2 units in the last place.
#pragma once

#include "ops/ball_math.h"

namespace parallax {

// The image under a function that is monotone on [low, high], NaN outside, and that may go to an infinity at an end.
Ball ball_image(const BallMath& math, const Ball& x, BallMath::Function f, double low, double high);
// The same on the whole line.
Ball ball_image(const BallMath& math, const Ball& x, BallMath::Function f);

Ball ball_exp2(const BallMath& math, const Ball& x);
Ball ball_expm1(const BallMath& math, const Ball& x);
Ball ball_log(const BallMath& math, const Ball& x);
Ball ball_log2(const BallMath& math, const Ball& x);
Ball ball_log10(const BallMath& math, const Ball& x);
Ball ball_log1p(const BallMath& math, const Ball& x);
// 1 / x and 1 / sqrt(x). A zero of unknown sign gives an infinity of either sign.
Ball ball_reciprocal(const BallMath& math, const Ball& x, bool zeros_are_positive);
Ball ball_rsqrt(const BallMath& math, const Ball& x, bool zeros_are_positive);

Ball ball_tan(const BallMath& math, const Ball& x);
Ball ball_asin(const BallMath& math, const Ball& x);
Ball ball_atan(const BallMath& math, const Ball& x);
// An implementation may overflow a few binades early, as SLEEF's does.
Ball ball_sinh(const BallMath& math, const Ball& x);
Ball ball_cosh(const BallMath& math, const Ball& x);
Ball ball_asinh(const BallMath& math, const Ball& x);
Ball ball_atanh(const BallMath& math, const Ball& x);
// sin(pi x) / (pi x), the product in the dtype; 1 at 0.
Ball ball_sinc(const BallMath& math, const Ball& x);
// sin(x) / x; 1 at 0, NaN for the infinities.
Ball ball_sine_quotient(const BallMath& math, const Ball& x);

// To an integer, exactly; ties of round go to the even one.
Ball ball_floor(const BallMath& math, const Ball& x);
Ball ball_ceil(const BallMath& math, const Ball& x);
Ball ball_trunc(const BallMath& math, const Ball& x);
Ball ball_round(const BallMath& math, const Ball& x);
// x - trunc(x).
Ball ball_frac(const BallMath& math, const Ball& x);
// -1, 0 or 1; 0 for NaN.
Ball ball_sign(const BallMath& math, const Ball& x);

// Whether the value is NaN, an infinity, or an infinity of one sign (1 or -1).
IntegerBall ball_is_nan(const Ball& x);
IntegerBall ball_is_infinite(const Ball& x);
IntegerBall ball_is_infinity(const Ball& x, int sign);

// The ball with a larger radius.
Ball widened(const BallMath& math, const Ball& ball, double by);
// A function's result where an implementation may be `units` units in the last place off, and not only as many as the
// profile has for functions.
Ball off_by(const BallMath& math, const Ball& ball, double units);
// What stands for an infinity whose sign is not known. No ball holds the two and nothing else: the largest finite
// number is let in as well.
Ball infinity_of_either_sign(const BallMath& math, bool may_nan);
// A result over double's range, and so over what any implementation carries: that infinity. In f64 an error may keep it
// at the largest number.
Ball beyond_double(const BallMath& math, double infinite);
// The largest number of the format that is computed in: f32 for the halves.
double largest_computed(const BallMath& math);
// A result that may be an infinity as well from `least` on in magnitude.
Ball infinite_from(double least, Ball result);

}  // namespace parallax
