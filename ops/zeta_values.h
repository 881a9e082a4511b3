// Hurwitz's zeta function in long double: the centre of its balls, good to 2^-57 of the sum of its terms' magnitudes
// against 50 digits.
#pragma once

namespace parallax {

// The sum of (q + k)^-s over all k >= 0, for s > 1 and q > 0.
long double hurwitz_zeta(long double s, long double q);

}  // namespace parallax
