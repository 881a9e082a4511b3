// Orthogonal polynomials by their recurrences of three terms, and Chebyshev's of high degrees between -1 and 1 by
// angles. The degree is cut to an integer; one that is negative, or none, gives 0.

const int FirstKind = 0, SecondKind = 1, ThirdKind = 2, FourthKind = 3;
const int HermiteH = 4, HermiteHe = 5, Laguerre = 6, Legendre = 7;

// A step a degree: above this the result is NaN, where eager would go on. Drivers stop loops that take long.
const double most_steps = 32768.0lf;

double degree_of(double n) {
  bool fits = n > -9223372036854775808.0lf && n < 9223372036854775808.0lf;
  return fits ? trunc(n) : -1.0lf;
}

double polynomial_by_steps(int family, double x, double degree) {
  if (degree > most_steps) return double_nan;
  precise double before = 1.0lf;
  precise double at = x;
  if (family == SecondKind || family == HermiteH) at = 2.0lf * x;
  if (family == ThirdKind) at = 2.0lf * x - 1.0lf;
  if (family == FourthKind) at = 2.0lf * x + 1.0lf;
  if (family == Laguerre) at = 1.0lf - x;
  int last = int(degree);
  for (int k = 1; k < last && !is_nan(at); ++k) {
    double n = double(k);
    precise double next;
    if (family == HermiteH) {
      next = 2.0lf * x * at - 2.0lf * n * before;
    } else if (family == HermiteHe) {
      next = x * at - n * before;
    } else if (family == Laguerre) {
      next = ((2.0lf * n + 1.0lf - x) * at - n * before) / (n + 1.0lf);
    } else if (family == Legendre) {
      next = ((2.0lf * n + 1.0lf) * x * at - n * before) / (n + 1.0lf);
    } else {
      next = 2.0lf * x * at - before;
    }
    before = at;
    at = next;
  }
  return at;
}

// At 1 and -1 the polynomials are 1, n + 1 and 2 n + 1, by kind.
double chebyshev(int kind, double x, double n) {
  double degree = degree_of(n);
  if (degree <= 0.0lf) return degree < 0.0lf ? 0.0lf : 1.0lf;
  if (degree <= 64.0lf || !(abs(x) <= 1.0lf)) return polynomial_by_steps(kind, x, degree);
  bool mirrored = x == -1.0lf;
  double sign = mirrored && floor(degree * 0.5lf) * 2.0lf != degree ? -1.0lf : 1.0lf;
  if (abs(x) == 1.0lf) {
    bool plain = kind == FirstKind || kind == (mirrored ? FourthKind : ThirdKind);
    precise double most = kind == SecondKind ? degree + 1.0lf : 2.0lf * degree + 1.0lf;
    return sign * (plain ? 1.0lf : most);
  }
  double angle = wide_acos(x);
  double factor = kind == FirstKind ? degree : kind == SecondKind ? degree + 1.0lf : degree + 0.5lf;
  dvec2 of_multiple = sine_and_cosine(factor * angle);
  dvec2 of_angle = sine_and_cosine(kind == SecondKind ? angle : 0.5lf * angle);
  bool by_sine = kind == SecondKind || kind == FourthKind;
  precise double quotient = by_sine ? of_multiple.x / of_angle.x : of_multiple.y / of_angle.y;
  return kind == FirstKind ? of_multiple.y : quotient;
}

// Eager gives none above a degree, by the dtype.
double hermite(int family, double x, double n, double most_degree) {
  double degree = degree_of(n);
  if (degree <= 0.0lf) return degree < 0.0lf ? 0.0lf : 1.0lf;
  return degree > most_degree ? double_nan : polynomial_by_steps(family, x, degree);
}

double laguerre(double x, double n) {
  double degree = degree_of(n);
  if (degree <= 0.0lf) return degree < 0.0lf ? 0.0lf : 1.0lf;
  return x == 0.0lf ? 1.0lf : polynomial_by_steps(Laguerre, x, degree);
}

double legendre(double x, double n) {
  double degree = degree_of(n);
  if (degree <= 0.0lf) return degree < 0.0lf ? 0.0lf : 1.0lf;
  if (abs(x) == 1.0lf) return x > 0.0lf || floor(degree * 0.5lf) * 2.0lf == degree ? 1.0lf : -1.0lf;
  return polynomial_by_steps(Legendre, x, degree);
}
