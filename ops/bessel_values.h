// Bessel functions that libm lacks, in long double: the centres of their balls. Against 60 digits they are good to
// 2^-57 of the result (K) and of its amplitude (Ai).
#pragma once

namespace parallax {

// The modified Bessel function of the second kind of a real order from 0 to 1, times exp(x): infinite at 0, NaN below.
long double scaled_bessel_k(long double order, long double x);
// Airy's function Ai, for x up to 10^8 in magnitude.
long double airy_ai(long double x);

}  // namespace parallax
