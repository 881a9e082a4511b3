// Bessel functions and Airy's, in double: by recurrence from high orders downwards (Miller), whose normal is a known
// sum of all orders, by Hankel's series where that ends, and by Steed's continued fraction. Formulas of Abramowitz and
// Stegun (A&S).

const double euler_gamma = 0.5772156649015329lf;

// J0, J1, Y0 and Y1 of x > 0.
struct BesselValues {
  double j0, j1, y0, y1;
};

// Up to 25. J0 + 2 J2 + 2 J4 ... is 1, and Y a sum of J (A&S 9.1.88 and 89).
BesselValues bessel_by_recurrence(double x) {
  precise double after = 0.0lf;
  precise double at = 1e-200lf;
  precise double norm = 0.0lf;
  precise double sum0 = 0.0lf;
  precise double sum1 = 0.0lf;
  for (int n = x < 1.0lf ? 20 : x < 6.0lf ? 40 : 72; n > 0; --n) {
    double k = double(n / 2);
    bool odd_half = (n / 2 & 1) != 0;
    if ((n & 1) == 0) {
      norm = norm + 2.0lf * at;
      sum0 = sum0 + (odd_half ? -at : at) / k;
    } else if (n > 1) {
      sum1 = sum1 + (odd_half ? -at : at) * double(n) / (k * (k + 1.0lf));
    }
    precise double before = 2.0lf * double(n) / x * at - after;
    after = at;
    at = before;
  }
  norm = norm + at;
  precise double logarithm = wide_log(0.5lf * x) + euler_gamma;
  BesselValues made;
  precise double j0 = at / norm;
  precise double j1 = after / norm;
  precise double y0 = 0.6366197723675814lf * (logarithm * j0 - 2.0lf * sum0 / norm);
  precise double y1 = 0.6366197723675814lf * ((logarithm - 1.0lf) * j1 - sum1 / norm - j0 / x);
  made.j0 = j0;
  made.j1 = j1;
  made.y0 = y0;
  made.y1 = y1;
  return made;
}

// The sums P and Q of A&S 9.2.9 and 10 for an order whose square times four is given.
dvec2 hankel_sums(double x, double square) {
  precise double p = 1.0lf;
  precise double q = 0.0lf;
  precise double term = 1.0lf;
  for (int k = 1; k < 26; ++k) {
    double odd = double(2 * k - 1);
    term = term * (square - odd * odd) / (double(8 * k) * x);
    double turned = (k & 2) != 0 ? -term : term;
    if ((k & 1) != 0) {
      q = q + turned;
    } else {
      p = p + turned;
    }
  }
  return dvec2(p, q);
}

BesselValues bessel_values(double x) {
  BesselValues made;
  if (x < 1e-8lf) {
    // Half of the least number would be 0.
    precise double y0 = 0.6366197723675814lf * (wide_log(x) - 0.6931471805599453lf + euler_gamma);
    precise double y1 = -0.6366197723675814lf / x;
    made.j0 = 1.0lf;
    made.j1 = 0.5lf * x;
    made.y0 = y0;
    made.y1 = y1;
  } else if (x < 25.0lf) {
    made = bessel_by_recurrence(x);
  } else {
    // The phase is x less an odd multiple of pi / 4, whose sine and cosine are sums of those of x.
    dvec2 angle = sine_and_cosine(x);
    precise double amplitude = 0.5641895835477563lf / sqrt(x);
    precise double sum = angle.y + angle.x;
    precise double difference = angle.x - angle.y;
    dvec2 zero = hankel_sums(x, 0.0lf);
    dvec2 one = hankel_sums(x, 4.0lf);
    precise double j0 = amplitude * (zero.x * sum - zero.y * difference);
    precise double j1 = amplitude * (one.x * difference + one.y * sum);
    precise double y0 = amplitude * (zero.x * difference + zero.y * sum);
    precise double y1 = amplitude * (one.y * difference - one.x * sum);
    made.j0 = j0;
    made.j1 = j1;
    made.y0 = y0;
    made.y1 = y1;
  }
  return made;
}

double bessel_j0(double x) {
  if (is_nan(x) || is_inf(x)) return is_nan(x) ? x : 0.0lf;
  return bessel_values(abs(x)).j0;
}

double bessel_j1(double x) {
  if (is_nan(x) || is_inf(x)) return is_nan(x) ? x : 0.0lf;
  double y = bessel_values(abs(x)).j1;
  return is_negative(x) ? -y : y;
}

double bessel_y0(double x) {
  if (is_zero(x)) return -double_inf;
  if (is_nan(x) || is_negative(x)) return double_nan;
  return is_inf(x) ? 0.0lf : bessel_values(x).y0;
}

double bessel_y1(double x) {
  if (is_zero(x)) return -double_inf;
  if (is_nan(x) || is_negative(x)) return double_nan;
  return is_inf(x) ? 0.0lf : bessel_values(x).y1;
}

// e^-x times I0 and I1 for x >= 0, and the sum that K0 is made of. I0 + 2 I1 + 2 I2 ... is e^x, and all terms are
// positive.
struct ModifiedValues {
  double i0, i1, sum;
};
ModifiedValues modified_values(double x) {
  ModifiedValues made;
  made.sum = 0.0lf;
  if (x < 1e-8lf) {
    made.i0 = 1.0lf - x;
    made.i1 = 0.5lf * x * (1.0lf - x);
  } else if (x < 30.0lf) {
    precise double after = 0.0lf;
    precise double at = 1e-200lf;
    precise double norm = 0.0lf;
    precise double sum = 0.0lf;
    for (int n = x < 1.0lf ? 20 : x < 6.0lf ? 40 : 64; n > 0; --n) {
      norm = norm + 2.0lf * at;
      if ((n & 1) == 0) sum = sum + at / double(n / 2);
      precise double before = 2.0lf * double(n) / x * at + after;
      after = at;
      at = before;
    }
    norm = norm + at;
    precise double i0 = at / norm;
    precise double i1 = after / norm;
    precise double share = sum / norm;
    made.i0 = i0;
    made.i1 = i1;
    made.sum = share;
  } else {
    // A&S 9.7.1.
    precise double scale = 0.3989422804014327lf / sqrt(x);
    precise double sum0 = 1.0lf;
    precise double sum1 = 1.0lf;
    precise double term0 = 1.0lf;
    precise double term1 = 1.0lf;
    for (int k = 1; k < 26; ++k) {
      double odd = double(2 * k - 1);
      term0 = term0 * (odd * odd) / (double(8 * k) * x);
      term1 = term1 * (odd * odd - 4.0lf) / (double(8 * k) * x);
      sum0 = sum0 + term0;
      sum1 = sum1 + term1;
    }
    made.i0 = is_inf(x) ? 0.0lf : scale * sum0;
    made.i1 = is_inf(x) ? 0.0lf : scale * sum1;
  }
  return made;
}

double scaled_bessel_i0(double x) { return is_nan(x) ? x : modified_values(abs(x)).i0; }

double scaled_bessel_i1(double x) {
  if (is_nan(x)) return x;
  double y = modified_values(abs(x)).i1;
  return is_negative(x) ? -y : y;
}

// In two factors: the exponential alone may be over the range.
double grown(double scaled, double x) {
  double root = wide_exp(0.5lf * min(abs(x), 2000.0lf));
  precise double y = scaled * root * root;
  return y;
}
double bessel_i0(double x) {
  if (is_inf(x)) return double_inf;
  return grown(scaled_bessel_i0(x), x);
}

double bessel_i1(double x) {
  if (is_inf(x)) return x;
  return grown(scaled_bessel_i1(x), x);
}

// e^x times K of an order and of the next one, for an order of at most 1/2 and x from 1 on: the continued fraction CF2
// by Steed's method (Temme 1975, Numerical Recipes 6.6).
dvec2 steed(double x, double order) {
  precise double first = 0.25lf - order * order;
  if (x > 1e8lf) {
    // What a step is off by, the steps after it multiply by x. Hankel's expansion (A&S 9.7.2) needs two terms here.
    precise double far = 1.2533141373155003lf / sqrt(x);
    precise double far_k = far * (1.0lf - first / (2.0lf * x));
    precise double far_next = far * (1.0lf + ((order + 1.0lf) * (order + 1.0lf) - 0.25lf) / (2.0lf * x));
    return dvec2(far_k, far_next);
  }
  precise double b = 2.0lf * (1.0lf + x);
  precise double d = 1.0lf / b;
  precise double h = d;
  precise double h_step = d;
  precise double q1 = 0.0lf;
  precise double q2 = 1.0lf;
  precise double q = first;
  precise double c = first;
  precise double a = -first;
  precise double s = 1.0lf + q * h_step;
  for (int i = 2; i < 400; ++i) {
    a = a - double(2 * (i - 1));
    c = -a * c / double(i);
    precise double q_next = (q1 - b * q2) / a;
    q1 = q2;
    q2 = q_next;
    q = q + c * q_next;
    b = b + 2.0lf;
    d = 1.0lf / (b + a * d);
    h_step = (b * d - 1.0lf) * h_step;
    h = h + h_step;
    precise double s_step = q * h_step;
    s = s + s_step;
    if (abs(s_step) < abs(s) * 1e-17lf) break;
  }
  precise double k = 1.2533141373155003lf / sqrt(x) / s;
  precise double next = k * (order + x + 0.5lf - first * h) / x;
  return dvec2(k, next);
}

// e^x times K0 and K1 for x > 0: A&S 9.6.54, and the Wronskian of I and K (9.6.15).
dvec2 scaled_k(double x) {
  if (is_inf(x)) return dvec2(0.0lf, 0.0lf);
  if (x >= 2.0lf) return steed(x, 0.0lf);
  ModifiedValues values = modified_values(x);
  double growth = wide_exp(x);
  precise double k0 = (2.0lf * values.sum - (wide_log(0.5lf * x) + euler_gamma) * values.i0) * growth;
  precise double scaled0 = k0 * growth;
  precise double scaled1 = (1.0lf / x - values.i1 * scaled0) / values.i0;
  return dvec2(scaled0, scaled1);
}

double scaled_bessel_k0(double x) {
  if (is_zero(x)) return double_inf;
  return is_nan(x) || is_negative(x) ? double_nan : scaled_k(x).x;
}

double scaled_bessel_k1(double x) {
  if (is_zero(x)) return double_inf;
  return is_nan(x) || is_negative(x) ? double_nan : scaled_k(x).y;
}

double bessel_k0(double x) {
  precise double y = scaled_bessel_k0(x) * wide_exp(-x);
  return y;
}

double bessel_k1(double x) {
  precise double y = scaled_bessel_k1(x) * wide_exp(-x);
  return y;
}

double spherical_bessel_j0(double x) { return is_inf(x) ? 0.0lf : cardinal_sine(x); }

// Ai by Taylor's series of the equation y'' = x y, in steps from 0.
double airy_by_steps(double x) {
  precise double value = 0.355028053887817239lf;
  precise double slope = -0.258819403792806798lf;
  precise double at = 0.0lf;
  for (int step = 0; step < 24 && at != x; ++step) {
    precise double h = x - at;
    h = h < -0.5lf ? -0.5lf : h > 0.5lf ? 0.5lf : h;
    // The coefficients c[k - 1], c[k] and c[k + 1] of the series about `at`, and h^(k + 1).
    precise double c0 = 0.0lf;
    precise double c1 = value;
    precise double c2 = slope;
    precise double power = h;
    precise double sum = value + slope * h;
    precise double slope_sum = slope;
    for (int k = 0; k < 26; ++k) {
      precise double c3 = (at * c1 + c0) / double((k + 1) * (k + 2));
      slope_sum = slope_sum + double(k + 2) * c3 * power;
      power = power * h;
      sum = sum + c3 * power;
      c0 = c1;
      c1 = c2;
      c2 = c3;
    }
    value = sum;
    slope = slope_sum;
    at = abs(x - at) <= 0.5lf ? x : at + h;
  }
  return value;
}

// A&S 10.4.14 on the right; 10.4.60 far on the left, as sums of Hankel's of order 1/3.
double airy(double x) {
  if (is_nan(x) || is_inf(x)) return double_nan;
  if (x > -10.0lf && x < 1.5lf) return airy_by_steps(x);
  precise double m = abs(x);
  precise double root = sqrt(m);
  precise double zeta = m * root * (2.0lf / 3.0lf);
  if (x > 0.0lf) {
    if (x > 1000.0lf) return 0.0lf;
    precise double y = 0.3183098861837907lf * sqrt(m / 3.0lf) * steed(zeta, 1.0lf / 3.0lf).x * wide_exp(-zeta);
    return y;
  }
  dvec2 angle = sine_and_cosine(zeta);
  dvec2 sums = hankel_sums(zeta, 4.0lf / 9.0lf);
  precise double y = 0.3989422804014327lf / sqrt(root) * (sums.x * (angle.y + angle.x) - sums.y * (angle.x - angle.y));
  return y;
}
