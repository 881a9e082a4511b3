// Bessel functions of one ball, and their kin. Where eager is worse than the profile's units for functions, its error
// was measured against 40 digits, on 60 points or more a binade of the argument, in f32 and f64; the sources say the
// figures, and the bounds have a margin over them.
#pragma once

#include "ops/ball_math.h"

namespace parallax {

// Of the first kind, and of the second, which is -inf at 0 and NaN below. At an infinity they are 0 to some, NaN to
// others.
Ball ball_bessel_j0(const BallMath& math, const Ball& x);
Ball ball_bessel_j1(const BallMath& math, const Ball& x);
Ball ball_bessel_y0(const BallMath& math, const Ball& x);
Ball ball_bessel_y1(const BallMath& math, const Ball& x);

// The modified ones of the second kind, and those times exp(x): inf at 0, NaN below. (Those of the first kind are in
// ops/ball_special.h.)
Ball ball_bessel_k0(const BallMath& math, const Ball& x);
Ball ball_bessel_k1(const BallMath& math, const Ball& x);
Ball ball_scaled_bessel_k0(const BallMath& math, const Ball& x);
Ball ball_scaled_bessel_k1(const BallMath& math, const Ball& x);

// sin(x) / x; 1 at 0, 0 at the infinities.
Ball ball_spherical_bessel_j0(const BallMath& math, const Ball& x);
Ball ball_airy_ai(const BallMath& math, const Ball& x);

}  // namespace parallax
