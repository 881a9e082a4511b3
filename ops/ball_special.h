// Special functions of one ball. Where eager is worse than the profile's units for functions, its error was measured on
// 3,000 points a dtype against 100 bits, and the bound has a margin over that; the sources say the figures.
#pragma once

#include "ops/ball_math.h"

namespace parallax {

Ball ball_erf(const BallMath& math, const Ball& x);
Ball ball_erfc(const BallMath& math, const Ball& x);
// erfc(x) exp(x^2).
Ball ball_erfcx(const BallMath& math, const Ball& x);
Ball ball_erfinv(const BallMath& math, const Ball& x);
// The normal distribution's function and its inverse.
Ball ball_ndtr(const BallMath& math, const Ball& x);
Ball ball_ndtri(const BallMath& math, const Ball& x);
// -x log(x), 0 at 0, -inf below.
Ball ball_entr(const BallMath& math, const Ball& x);

// log |gamma(x)|, infinite at 0 and the negative integers.
Ball ball_lgamma(const BallMath& math, const Ball& x);
// Its derivative: an infinity of the zero's sign turned round at 0, NaN at the negative integers.
Ball ball_digamma(const BallMath& math, const Ball& x, bool zeros_are_positive);

// The modified Bessel functions of the first kind, and those times exp(-|x|).
Ball ball_i0(const BallMath& math, const Ball& x);
Ball ball_i0e(const BallMath& math, const Ball& x);
Ball ball_i1(const BallMath& math, const Ball& x);
Ball ball_i1e(const BallMath& math, const Ball& x);

}  // namespace parallax
