// Functions of two doubles: powers, remainders, neighbours, and sums and products with logarithms.

// log(x) of a positive finite x as a double and what it lacks, ten bits of which are right. The quotient s and twice it
// are carried so, the rest of the series is a hundredth of them.
dvec2 log_pair(double x) {
  int k = nearest_exponent(x);
  precise double f = without_exponent(x, k) - 1.0lf;
  precise double divisor = 2.0lf + f;
  precise double divisor_rest = f - (divisor - 2.0lf);
  precise double s = f / divisor;
  dvec2 back = exact_product(s, divisor);
  precise double s_rest = ((f - back.x) - back.y - s * divisor_rest) / divisor;
  precise double p = s * artanh_rest(s * s);
  precise double whole = double(k) * 0.6931471803691238lf;
  precise double twice = 2.0lf * s;
  precise double high = whole + twice;
  precise double high_rest = abs(whole) > abs(twice) ? twice - (high - whole) : whole - (high - twice);
  precise double low = high_rest + (2.0lf * s_rest + p + double(k) * 1.9082149292705877e-10lf);
  precise double sum = high + low;
  precise double sum_rest = low - (sum - high);
  return dvec2(sum, sum_rest);
}

// x^y for a positive finite x.
double power_of_positive(double x, double y) {
  dvec2 logarithm = log_pair(x);
  // Beyond this the result is 0 or infinite, and the parts of the product need not be.
  double bounded = abs(y) > 1e20lf ? signed_as(1e20lf, y < 0.0lf) : y;
  dvec2 product = exact_product(logarithm.x, bounded);
  precise double rest = product.y + logarithm.y * bounded;
  double capped = product.x > 800.0lf ? 800.0lf : product.x < -800.0lf ? -800.0lf : product.x;
  return wide_exp(capped, abs(product.x) > 800.0lf ? 0.0lf : rest);
}

// The rules of C's pow.
double wide_power(double x, double y) {
  if (y == 0.0lf || x == 1.0lf) return 1.0lf;
  if (is_nan(x) || is_nan(y)) return double_nan;
  double m = abs(x);
  bool whole = is_inf(y) || floor(y) == y;
  bool odd = whole && abs(y) < 9007199254740992.0lf && floor(y * 0.5lf) * 2.0lf != y;
  double p;
  if (is_inf(y)) {
    p = m == 1.0lf ? 1.0lf : (m > 1.0lf) == (y > 0.0lf) ? double_inf : 0.0lf;
  } else if (m == 0.0lf || is_inf(m)) {
    p = (m == 0.0lf) == (y > 0.0lf) ? 0.0lf : double_inf;
  } else {
    p = power_of_positive(m, y);
    if (x < 0.0lf && !whole) return double_nan;
  }
  return odd && is_negative(x) ? -p : p;
}

double wide_hypotenuse(double a, double b) {
  if (is_inf(a) || is_inf(b)) return double_inf;
  if (is_nan(a) || is_nan(b)) return double_nan;
  double most = max(abs(a), abs(b));
  double least = min(abs(a), abs(b));
  // So that neither square overflows or vanishes.
  double scale = most > 1e150lf ? power_of_2(-600) : most < 1e-150lf ? power_of_2(600) : 1.0lf;
  double back = most > 1e150lf ? power_of_2(600) : most < 1e-150lf ? power_of_2(-600) : 1.0lf;
  precise double x = most * scale;
  precise double y = least * scale;
  precise double length = sqrt(x * x + y * y) * back;
  return length;
}

// Exact, as C's fmod: a division of whole numbers, eleven bits at a time.
double wide_remaining(double x, double y) {
  if (is_nan(x) || is_nan(y) || is_inf(x) || is_zero(y)) return double_nan;
  if (is_inf(y) || magnitude_bits(x) < magnitude_bits(y)) return x;
  uint64_t divisor = whole_field(y);
  uint64_t rest = whole_field(x) % divisor;
  int exponent = exponent_field(y);
  for (int steps = exponent_field(x) - exponent; steps > 0 && rest != uint64_t(0); steps -= 11) {
    rest = (rest << min(steps, 11)) % divisor;
  }
  // Put together from its bits: a subnormal result is a number too.
  if (rest != uint64_t(0)) {
    while (rest < uint64_t(1) << 52 && exponent > 1) {
      rest <<= 1;
      exponent -= 1;
    }
  }
  uint high = uint(rest >> 32);
  uint field = high >> 20 == 0u ? 0u : uint(exponent);
  return signed_as(packDouble2x32(uvec2(uint(rest), (high & 0xfffffu) | field << 20)), is_negative(x));
}

// Not the floor of the quotient, which may have been rounded up.
double wide_floored(double x, double y) {
  precise double plain = x / y;
  if (is_zero(y)) return plain;
  double rest = wide_remaining(x, y);
  precise double quotient = (x - rest) / y;
  if (rest != 0.0lf && (rest < 0.0lf) != (y < 0.0lf)) quotient = quotient - 1.0lf;
  if (is_nan(quotient)) return quotient;
  return quotient == 0.0lf ? signed_as(0.0lf, is_negative(plain)) : round_to_even(quotient);
}

double next_double(double a, double b) {
  if (is_nan(a) || is_nan(b)) return double_nan;
  if (is_zero(a) && is_zero(b)) return b;
  int64_t from = int64_t(magnitude_bits(a));
  int64_t to = int64_t(magnitude_bits(b));
  from = is_negative(a) ? -from : from;
  to = is_negative(b) ? -to : to;
  if (from == to) return b;
  from = to > from ? from + 1 : from - 1;
  uint64_t bits = uint64_t(from < 0 ? -from : from);
  bool negative = from < 0 || (from == 0 && is_negative(a));
  return signed_as(packDouble2x32(uvec2(uint(bits & uint64_t(0xffffffffu)), uint(bits >> 32))), negative);
}

// log(x / (1 - x)), of x brought to within eps of 0 and 1 where eps is a number.
double log_odds(double x, double eps) {
  if (is_nan(x)) return x;
  precise double most = 1.0lf - eps;
  precise double inner = x < eps ? eps : x > most ? most : x;
  precise double y = wide_log(inner / (1.0lf - inner));
  return y;
}

// log(e^a + e^b), with the larger one taken out, and the same of powers of 2.
double log_of_sum(double a, double b) {
  if (is_nan(a) || is_nan(b)) return double_nan;
  if (a == b && is_inf(a)) return a;
  precise double y = max(a, b) + wide_log1p(wide_exp(-abs(a - b)));
  return y;
}

double binary_log_of_sum(double a, double b) {
  if (is_nan(a) || is_nan(b)) return double_nan;
  if (a == b && is_inf(a)) return a;
  precise double y = max(a, b) + wide_log1p(wide_exp2(-abs(a - b))) * 1.4426950408889634lf;
  return y;
}

// a log(b), and 0 of a = 0 but for NaN.
double times_log(double a, double b) {
  if (is_nan(b)) return b;
  precise double y = a * wide_log(b);
  return a == 0.0lf ? 0.0lf : y;
}

double times_log1p(double a, double b) {
  if (is_nan(b)) return b;
  precise double y = a * wide_log1p(b);
  return a == 0.0lf ? 0.0lf : y;
}
