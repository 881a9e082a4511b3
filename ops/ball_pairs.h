// Functions of two balls beyond arithmetic (ops/ball_math.h): steps, powers, angles and what looks at signs.
//
// As there, each ball holds every result that a conforming implementation may return. The sign of a zero is not tracked
// in balls, but integers and Python's 0 have none but +0: where an argument tells so, the result is decided.
#pragma once

#include "ops/ball_math.h"

namespace parallax {

// max and min that drop a NaN: the result is NaN only where both operands are.
Ball ball_fmax(const BallMath& math, const Ball& a, const Ball& b);
Ball ball_fmin(const BallMath& math, const Ball& a, const Ball& b);

// C's fmod: a - b * trunc(a / b), which needs no rounding. With a divisor of 0 or a dividend of infinity it is NaN.
Ball ball_fmod(const BallMath& math, const Ball& a, const Ball& b);
// Python's remainder: fmod, and the divisor added where the signs differ.
Ball ball_remainder(const BallMath& math, const Ball& a, const Ball& b);
// a / b. A divisor of 0 that is not known to be +0 gives an infinity of either sign.
Ball ball_div(const BallMath& math, const Ball& a, const Ball& b, bool b_zero_is_positive);
// floor(a / b) of the real quotient where the operands are exact, as fmod gives it (1 // 0.1 is 9).
Ball ball_floor_div(const BallMath& math, const Ball& a, const Ball& b, bool b_zero_is_positive);

// |a| with the sign of b; both signs where b's is not known.
Ball ball_copysign(const BallMath& math, const Ball& a, const Ball& b, bool b_zero_is_positive);
// 0, `values` or 1 for x under, at or over 0; 0 for NaN.
Ball ball_heaviside(const Ball& x, const Ball& values);
// The next number of the dtype after a in the direction of b.
Ball ball_nextafter(const BallMath& math, const Ball& a, const Ball& b);

// a to the power of b; 0 to a negative odd power is an infinity of either sign, if the zero is not known to be +0.
Ball ball_pow(const BallMath& math, const Ball& a, const Ball& b, bool a_zero_is_positive);
// The angle of (x, y); from -pi to pi where it lies on the branch cut.
Ball ball_atan2(const BallMath& math, const Ball& y, const Ball& x, bool y_zero_is_positive, bool x_zero_is_positive);
Ball ball_hypot(const BallMath& math, const Ball& a, const Ball& b);
// log(exp(a) + exp(b)), and the same to base 2.
Ball ball_logaddexp(const BallMath& math, const Ball& a, const Ball& b);
Ball ball_logaddexp2(const BallMath& math, const Ball& a, const Ball& b);
// a * 2^n. Some multiply by 2^n as a number of the dtype, and meet infinity or 0 on the way.
Ball ball_ldexp(const BallMath& math, const Ball& a, int64_t n);
// a * log(b), and 0 where a is, whatever the number b; of log1p(b) for the second.
Ball ball_xlogy(const BallMath& math, const Ball& a, const Ball& b);
Ball ball_xlog1py(const BallMath& math, const Ball& a, const Ball& b);

}  // namespace parallax
