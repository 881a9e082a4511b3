#include "ops/bessel_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace parallax {
namespace {

using Real = long double;

constexpr Real epsilon = 0x1p-70L;

// Abramowitz and Stegun 10.4.2. Where it is used, from -4 to 1, cancellation takes 8 of 64 bits.
Real airy_series(Real x) {
  constexpr Real at_zero = 0.355028053887817239260063186004183L;        // Ai(0)
  constexpr Real slope_at_zero = 0.258819403792806798405183560189204L;  // -Ai'(0)
  const Real cube = x * x * x;
  Real even = 1;
  Real odd = x;
  Real sum = at_zero * even - slope_at_zero * odd;
  for (int k = 3; std::fabs(even) + std::fabs(odd) > epsilon; k += 3) {
    even *= cube / (static_cast<Real>(k) * (k - 1));
    odd *= cube / (static_cast<Real>(k) * (k + 1));
    sum += at_zero * even - slope_at_zero * odd;
  }
  return sum;
}

}  // namespace

// Abramowitz and Stegun 9.6.24, K = integral from 0 of exp(-x cosh t) cosh(order t), by the trapezoidal rule: the
// integrand is analytic for |Im t| < pi / 2 and falls double exponentially, so that a step of 1/6 leaves an error of
// exp(-6 pi^2) = 2^-85. For a large x it is a bell of width 1 / sqrt(x), and the step goes with that.
long double scaled_bessel_k(long double order, long double x) {
  if (!(x > 0)) return x == 0 ? std::numeric_limits<Real>::infinity() : std::numeric_limits<Real>::quiet_NaN();
  if (std::isinf(x)) return 0;
  const Real step = std::min(Real{1} / 6, 0.6L / std::sqrt(x));
  Real sum = 0.5L;
  for (int k = 1;; ++k) {
    const Real t = static_cast<Real>(k) * step;
    const Real half = std::sinh(t / 2);
    const Real exponent = 2 * x * half * half;  // x (cosh t - 1)
    const Real term = std::exp(-exponent) * std::cosh(order * t);
    sum += term;
    if (exponent > 1 && term < sum * epsilon) return sum * step;
  }
}

long double airy_ai(long double x) {
  if (x >= -4 && x <= 1) return airy_series(x);
  const Real magnitude = std::fabs(x);
  const Real third = Real{1} / 3;
  const Real zeta = 2 * magnitude * std::sqrt(magnitude) / 3;
  // Abramowitz and Stegun 10.4.14, and 10.4.15 with the Bessel function of order -1/3 by those of order 1/3.
  if (x > 0) return std::sqrt(x / 3) / std::numbers::pi_v<Real> * std::exp(-zeta) * scaled_bessel_k(third, zeta);
  const Real j = std::cyl_bessel_j(third, zeta);
  const Real y = std::cyl_neumann(third, zeta);
  return std::sqrt(magnitude) / 2 * (j - y / std::numbers::sqrt3_v<Real>);
}

}  // namespace parallax
