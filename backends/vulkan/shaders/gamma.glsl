// The gamma function's logarithm and its derivatives, and Hurwitz's zeta, in double. Formulas of NIST's Digital Library
// of Mathematical Functions (DLMF).

// log(gamma(2 + z)) for |z| up to 1/2 (DLMF 5.7.3): the coefficients are (-1)^k (zeta(k) - 1) / k.
double log_gamma_near_2(double z) {
  precise double p = -2.7595228851242334e-10lf;
  p = 5.731367241678862e-10lf + z * p;
  p = -1.1921401405860912e-09lf + z * p;
  p = 2.4836745438024785e-09lf + z * p;
  p = -5.183475041970047e-09lf + z * p;
  p = 1.0838659214896955e-08lf + z * p;
  p = -2.2711094608943164e-08lf + z * p;
  p = 4.7698101693639804e-08lf + z * p;
  p = -1.0043224823968099e-07lf + z * p;
  p = 2.1207184805554665e-07lf + z * p;
  p = -4.492469198764566e-07lf + z * p;
  p = 9.55141213040742e-07lf + z * p;
  p = -2.039215753801366e-06lf + z * p;
  p = 4.374866789907488e-06lf + z * p;
  p = -9.439488275268397e-06lf + z * p;
  p = 2.050721277567069e-05lf + z * p;
  p = -4.492623673813314e-05lf + z * p;
  p = 9.945751278180853e-05lf + z * p;
  p = -0.00022315475845357939lf + z * p;
  p = 0.0005096695247430425lf + z * p;
  p = -0.001192753911703261lf + z * p;
  p = 0.0028905103307415234lf + z * p;
  p = -0.007385551028673986lf + z * p;
  p = 0.020580808427784546lf + z * p;
  p = -0.0673523010531981lf + z * p;
  p = 0.3224670334241132lf + z * p;
  p = z * (0.42278433509846713lf + z * p);
  return p;
}

// log(gamma(x)) for x > 0: stepped down to 2, from 10 on Stirling's series (DLMF 5.11.1).
double log_gamma_of_positive(double x) {
  if (x < 1.5lf) {
    double z = x < 0.5lf ? x : x - 1.0lf;
    precise double y = log_gamma_near_2(z) - wide_log1p(z);
    if (x < 0.5lf) y = y - wide_log(x);
    return y;
  }
  if (x < 10.0lf) {
    precise double z = x;
    precise double product = 1.0lf;
    while (z >= 2.5lf) {
      z = z - 1.0lf;
      product = product * z;
    }
    precise double y = log_gamma_near_2(z - 2.0lf) + wide_log(product);
    return y;
  }
  precise double r = 1.0lf / x;
  precise double s = r * r;
  precise double p = 1.0lf / 156.0lf;
  p = -691.0lf / 360360.0lf + s * p;
  p = 1.0lf / 1188.0lf + s * p;
  p = -1.0lf / 1680.0lf + s * p;
  p = 1.0lf / 1260.0lf + s * p;
  p = -1.0lf / 360.0lf + s * p;
  p = 1.0lf / 12.0lf + s * p;
  precise double y = (x - 0.5lf) * (wide_log(x) - 1.0lf) + (0.4189385332046727lf + r * p);
  return y;
}

// On the left by the mirrored one (DLMF 5.5.3).
double log_gamma(double x) {
  if (is_nan(x)) return x;
  if (is_inf(x)) return double_inf;
  if (x <= 0.0lf && floor(x) == x) return double_inf;
  double m = abs(x);
  double y = log_gamma_of_positive(m);
  if (x > 0.0lf || m < 1e-18lf) return y;
  precise double mirrored = wide_log(3.141592653589793lf / (m * abs(half_turns(x).x))) - y;
  return mirrored;
}

// DLMF 5.11.2, from x >= 10 on; 5.5.2 leads there, and 5.5.4 from the left.
double wide_digamma(double x) {
  if (is_nan(x)) return x;
  if (x == 0.0lf) return is_negative(x) ? double_inf : -double_inf;
  if (is_inf(x)) return is_negative(x) ? double_nan : x;
  precise double mirrored = 0.0lf;
  precise double at = x;
  if (x < 0.0lf) {
    if (floor(x) == x) return double_nan;
    dvec2 turns = half_turns(x);
    mirrored = 3.141592653589793lf * turns.y / turns.x;
    at = 1.0lf - x;
  }
  precise double stepped = 0.0lf;
  while (at < 10.0lf) {
    stepped = stepped + 1.0lf / at;
    at = at + 1.0lf;
  }
  precise double s = 1.0lf / (at * at);
  precise double p = -3617.0lf / 8160.0lf;
  p = 1.0lf / 12.0lf + s * p;
  p = -691.0lf / 32760.0lf + s * p;
  p = 1.0lf / 132.0lf + s * p;
  p = -1.0lf / 240.0lf + s * p;
  p = 1.0lf / 252.0lf + s * p;
  p = -1.0lf / 120.0lf + s * p;
  p = 1.0lf / 12.0lf + s * p;
  precise double y = ((wide_log(at) - 0.5lf / at) - s * p) - stepped;
  y = y - mirrored;
  return y;
}

// The sum of (q + k)^-s for s > 1 and q > 0, by Euler and Maclaurin's formula (DLMF 2.10.1) from a q on that is larger
// than s; the coefficients are B(2 j) / (2 j)!.
double zeta_on_the_right(double s, double q) {
  precise double sum = 0.0lf;
  precise double at = q;
  for (int k = 0; k < 300 && at < s + 16.0lf; ++k) {
    precise double term = power_of_positive(at, -s);
    sum = sum + term;
    if (term <= sum * 1e-18lf || is_inf(sum)) return sum;
    at = at + 1.0lf;
  }
  double last = power_of_positive(at, -s);
  precise double square = 1.0lf / (at * at);
  precise double p = -3617.0lf / 10670622842880000.0lf * (s + 14.0lf) * (s + 13.0lf) * square;
  p = (1.0lf / 74724249600.0lf + p) * (s + 12.0lf) * (s + 11.0lf) * square;
  p = (-691.0lf / 1307674368000.0lf + p) * (s + 10.0lf) * (s + 9.0lf) * square;
  p = (1.0lf / 47900160.0lf + p) * (s + 8.0lf) * (s + 7.0lf) * square;
  p = (-1.0lf / 1209600.0lf + p) * (s + 6.0lf) * (s + 5.0lf) * square;
  p = (1.0lf / 30240.0lf + p) * (s + 4.0lf) * (s + 3.0lf) * square;
  p = (-1.0lf / 720.0lf + p) * (s + 2.0lf) * (s + 1.0lf) * square;
  p = (1.0lf / 12.0lf + p) * s / at;
  // Where q is vast, its power is 0 and the quotient infinite, and their product neither.
  precise double vast = power_of_positive(at, 1.0lf - s) / (s - 1.0lf) + last * (0.5lf + p);
  precise double y = sum + last * (at / (s - 1.0lf) + (0.5lf + p));
  return at < 1e100lf ? y : sum + vast;
}

// The terms left of 0 are, but for their sign, a sum on the right less its rest.
double hurwitz_zeta(double s, double q) {
  if (s == 1.0lf) return double_inf;
  if (is_nan(s) || is_nan(q) || s < 1.0lf) return double_nan;
  if (is_inf(q)) return is_negative(q) ? double_inf : 0.0lf;
  if (q > 0.0lf) return zeta_on_the_right(s, q);
  if (floor(q) == q) return double_inf;
  if (floor(s) != s || is_inf(s)) return double_nan;
  bool odd = floor(s * 0.5lf) * 2.0lf != s;
  double y = 0.0lf;
  for (int part = 0; part < 3; ++part) {
    precise double from = part == 0 ? ceil(q) - q : part == 1 ? 1.0lf - q : q - floor(q);
    double value = zeta_on_the_right(s, from);
    precise double sum = y + ((part == 0 && odd) || (part == 1 && !odd) ? -value : value);
    y = sum;
  }
  return y;
}

// The derivative of digamma: pi^2 / sin(pi x)^2 takes the left to the right. At a pole eager has what the sine of
// a rounded multiple of pi gives: `angle` is that.
double wide_trigamma(double x, double angle) {
  if (is_nan(x)) return x;
  if (is_inf(x)) return is_negative(x) ? double_nan : 0.0lf;
  if (x >= 0.5lf) return zeta_on_the_right(2.0lf, x);
  double sine = floor(x) == x ? wide_sin(angle) : half_turns(x).x;
  precise double scaled = 3.141592653589793lf / sine;
  precise double y = scaled * scaled - zeta_on_the_right(2.0lf, 1.0lf - x);
  return y;
}

// (-1)^(n + 1) n! zeta(n + 1, x) (DLMF 5.15.1), for n >= 2.
double wide_polygamma(double x, double n) {
  precise double factorial = 1.0lf;
  for (double k = 2.0lf; k <= min(n, 171.0lf); k += 1.0lf) factorial = factorial * k;
  precise double y = factorial * hurwitz_zeta(n + 1.0lf, x);
  return floor(n * 0.5lf) * 2.0lf == n ? -y : y;
}
