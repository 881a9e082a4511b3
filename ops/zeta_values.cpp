#include "ops/zeta_values.h"

#include <array>
#include <cmath>

namespace parallax {

// Euler and Maclaurin's formula (Abramowitz and Stegun 23.1.30) from where its terms fall below 2^-64.
long double hurwitz_zeta(long double s, long double q) {
  using Real = long double;
  constexpr int most_terms = 1000;
  constexpr Real epsilon = 0x1p-66L;
  // B_2k / (2k)!
  constexpr std::array coefficients = {1.0L / 12,
                                       -1.0L / 720,
                                       1.0L / 30240,
                                       -1.0L / 1209600,
                                       1.0L / 47900160,
                                       -691.0L / 1307674368000,
                                       1.0L / 74724249600,
                                       -3617.0L / 10670622842880000,
                                       43867.0L / 5109094217170944000,
                                       -174611.0L / 802857662698291200000.0L,
                                       77683.0L / 14101100039391805440000.0L,
                                       -236364091.0L / 1693824136731743669452800000.0L};
  // A term is at most ((s + 2 k + 2) / (2 pi a))^2 of the one before: 2^-64 is passed for every s, and not from s on.
  const Real start = s + 14;
  Real sum = 0;
  Real a = q;
  for (int k = 0; k < most_terms && a < start; ++k, a = q + k) {
    const Real term = std::pow(a, -s);
    sum += term;
    // The tail is at most this term and the integral from here.
    if (term * (1 + a / (s - 1)) < sum * epsilon) return sum;
  }
  const Real power = std::pow(a, -s);
  sum += power * (a / (s - 1) + 0.5L);
  Real factor = s * power / a;
  for (std::size_t k = 0; k < coefficients.size(); ++k) {
    sum += coefficients[k] * factor;
    const auto next = static_cast<Real>(2 * k + 1);
    factor *= (s + next) * (s + next + 1) / (a * a);
  }
  return sum;
}

}  // namespace parallax
