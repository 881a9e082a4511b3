// The error function, the normal distribution, and their inverses, in double.

// erf(x) for |x| up to 0.6: Taylor.
double small_erf(double x) {
  precise double z = x * x;
  precise double p = -1.0lf / 168129561600.0lf;
  p = 1.0lf / 11975040000.0lf + z * p;
  p = -1.0lf / 918086400.0lf + z * p;
  p = 1.0lf / 76204800.0lf + z * p;
  p = -1.0lf / 6894720.0lf + z * p;
  p = 1.0lf / 685440.0lf + z * p;
  p = -1.0lf / 75600.0lf + z * p;
  p = 1.0lf / 9360.0lf + z * p;
  p = -1.0lf / 1320.0lf + z * p;
  p = 1.0lf / 216.0lf + z * p;
  p = -1.0lf / 42.0lf + z * p;
  p = 1.0lf / 10.0lf + z * p;
  p = -1.0lf / 3.0lf + z * p;
  precise double y = 1.1283791670955126lf * (x + x * z * p);
  return y;
}

// e^(x^2) erfc(x) for x >= 0: the integral of e^(-t^2) / (x^2 + t^2) by the midpoint rule with steps of 1/2, whose
// error is what the pole at t = i x makes (Chiarella and Reichel, 1968).
double scaled_tail(double x) {
  precise double sum = 1.0848552640429378e-17lf / (x + 39.0625lf / x);
  sum += 4.37661850287085e-15lf / (x + 33.0625lf / x);
  sum += 1.0709232382508077e-12lf / (x + 27.5625lf / x);
  sum += 1.5893910094516368e-10lf / (x + 22.5625lf / x);
  sum += 1.4307241918567688e-08lf / (x + 18.0625lf / x);
  sum += 7.811489408304491e-07lf / (x + 14.0625lf / x);
  sum += 2.586810022265412e-05lf / (x + 10.5625lf / x);
  sum += 0.0005195746821548384lf / (x + 7.5625lf / x);
  sum += 0.006329715427485747lf / (x + 5.0625lf / x);
  sum += 0.04677062238395898lf / (x + 3.0625lf / x);
  sum += 0.2096113871510978lf / (x + 1.5625lf / x);
  sum += 0.569782824730923lf / (x + 0.5625lf / x);
  sum += 0.9394130628134758lf / (x + 0.0625lf / x);
  double pole = 0.0lf;
  if (x < 6.0lf) {
    precise double turned = 2.0lf * wide_exp(x * x) / (1.0lf + wide_exp(12.566370614359172lf * x));
    pole = turned;
  }
  precise double y = 0.3183098861837907lf * sum + pole;
  return y;
}

// erfc(x) for x >= 0, of which the square is given.
double tail(double x, dvec2 square) {
  precise double y = scaled_tail(x) * wide_exp(-square.x, -square.y);
  return y;
}

double wide_erf(double x) {
  if (is_nan(x)) return x;
  double m = abs(x);
  if (m < 0.5lf) return small_erf(x);
  precise double y = 1.0lf;
  if (m < 6.5lf) y = 1.0lf - tail(m, exact_product(m, m));
  return signed_as(y, is_negative(x));
}

double wide_erfc(double x) {
  if (is_nan(x)) return x;
  double m = min(abs(x), 30.0lf);
  double y = tail(m, exact_product(m, m));
  precise double mirrored = 2.0lf - y;
  return is_negative(x) ? mirrored : y;
}

double scaled_erfc(double x) {
  if (is_nan(x)) return x;
  if (is_inf(x)) return is_negative(x) ? double_inf : 0.0lf;
  double m = abs(x);
  double y = scaled_tail(m);
  if (x < 0.0lf) {
    dvec2 square = exact_product(min(m, 30.0lf), min(m, 30.0lf));
    precise double mirrored = 2.0lf * wide_exp(square.x, square.y) - y;
    y = mirrored;
  }
  return y;
}

// The share of the normal distribution below x. The root of 2 is left out of the square, which is exact.
double normal_share(double x) {
  if (is_nan(x)) return x;
  double m = min(abs(x), 40.0lf);
  dvec2 square = exact_product(m, m);
  precise double y = 0.5lf * tail(m * 0.7071067811865476lf, dvec2(0.5lf * square.x, 0.5lf * square.y));
  precise double mirrored = 1.0lf - y;
  return is_negative(x) ? y : mirrored;
}

// The inverse of erf up to 1/2, by Newton's method from a cubic.
double central_inverse(double y) {
  precise double start = y * 0.8862269254527580lf;
  precise double x = start * (1.0lf + start * start * (1.0lf / 3.0lf + start * start * (7.0lf / 30.0lf)));
  for (int step = 0; step < 3; ++step) x = x - (small_erf(x) - y) * 0.8862269254527580lf * wide_exp(x * x);
  return x;
}

// x with erfc(x) = share for a share of up to 1/2: Newton's method for the logarithms, which are nearly parabolas.
double inverse_tail(double share) {
  double logarithm = wide_log(share);
  precise double x = sqrt(-logarithm);
  for (int step = 0; step < 6; ++step) {
    double scaled = scaled_tail(x);
    precise double error = (wide_log(scaled) - logarithm) - x * x;
    x = x + error * scaled * 0.8862269254527580lf;
  }
  return x;
}

double inverse_erf(double y) {
  double m = abs(y);
  if (is_nan(y) || m > 1.0lf) return double_nan;
  if (m == 1.0lf) return signed_as(double_inf, is_negative(y));
  if (m <= 0.5lf) return y == 0.0lf ? y : central_inverse(y);
  return signed_as(inverse_tail(1.0lf - m), is_negative(y));
}

double normal_quantile(double share) {
  if (is_nan(share) || share < 0.0lf || share > 1.0lf) return double_nan;
  if (share == 0.0lf || share == 1.0lf) return share == 0.0lf ? -double_inf : double_inf;
  precise double x;
  if (abs(share - 0.5lf) <= 0.25lf) {
    x = central_inverse(2.0lf * share - 1.0lf);
  } else {
    double outer = inverse_tail(2.0lf * min(share, 1.0lf - share));
    x = share < 0.5lf ? -outer : outer;
  }
  precise double y = 1.4142135623730951lf * x;
  return y;
}

double entropy(double x) {
  if (is_zero(x)) return 0.0lf;
  if (is_nan(x)) return x;
  precise double y = -x * wide_log(x);
  return is_negative(x) ? -double_inf : y;
}
