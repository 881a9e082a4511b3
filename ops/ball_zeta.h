// Hurwitz's zeta function and the polygamma functions on balls.
#pragma once

#include <cstdint>

#include "ops/ball_math.h"

namespace parallax {

// The sum of (q + k)^-s over all k >= 0: inf for s = 1 and where a term is, NaN for a smaller s, and for a negative q
// with an s that is no integer.
Ball ball_zeta(const BallMath& math, const Ball& s, const Ball& q);

// The derivative of order n of the digamma function, n >= 1, in the dtype of `math`.
Ball ball_polygamma(const BallMath& math, int64_t n, const Ball& x);

}  // namespace parallax
