// Orthogonal polynomials of one ball, of the degree that another one holds.
#pragma once

#include <cstdint>

#include "ops/ball_math.h"

namespace parallax {

enum class OrthogonalFamily : uint8_t {
  ChebyshevT,
  ChebyshevU,
  ChebyshevV,
  ChebyshevW,
  HermiteH,   // the physicists'
  HermiteHe,  // the probabilists'
  Laguerre,
  Legendre,
};

// The polynomial of degree n, cut towards 0, at x; 0 for a negative n. `shifted`: at 2 x - 1.
//
// Implementations use the recurrence of three terms, whose errors the bound carries along, and for a Chebyshev
// polynomial of a higher degree between -1 and 1 the trigonometric form.
Ball ball_orthogonal(const BallMath& math, OrthogonalFamily family, bool shifted, const Ball& x, const Ball& n);

}  // namespace parallax
