// Special functions that libm lacks, in long double: the centres of their balls. They are good to 2^-54 of the result,
// the digamma function to 2^-54 of its terms (2^-55 was the worst of 600 points a function against 120 bits).
#pragma once

namespace parallax {

// The modified Bessel functions of the first kind times exp(-|x|), order 0 or 1.
long double scaled_bessel_i(int order, long double x);
// erfc(x) exp(x^2).
long double scaled_erfc(long double x);
// The normal distribution's quantile, for 0 < p < 1.
long double normal_quantile(long double p);
// The inverse of erf, for -1 < x < 1.
long double inverse_erf(long double x);
// The logarithmic derivative of gamma; not for 0 and the negative integers.
long double digamma(long double x);

}  // namespace parallax
