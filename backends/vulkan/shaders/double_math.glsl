// Functions of doubles, of which GLSL has none beside the root. They are within three units in the last place. What
// is `precise` keeps its order of operations, on which differences of rounded numbers rely.

#define double_nan packDouble2x32(uvec2(0u, 0x7ff80000u))
#define double_inf packDouble2x32(uvec2(0u, 0x7ff00000u))

bool is_inf(double x) {
  uvec2 bits = unpackDouble2x32(x);
  return (bits.y & 0x7fffffffu) == 0x7ff00000u && bits.x == 0u;
}

double signed_as(double x, bool negative) {
  uvec2 bits = unpackDouble2x32(x);
  bits.y = (bits.y & 0x7fffffffu) | (negative ? 0x80000000u : 0u);
  return packDouble2x32(bits);
}

double python_inverse(double x) {
  if (x == 0.0lf) raised = FloatZeroDivision;
  return 1.0lf / x;
}

// llvmpipe of Mesa 22.3.6 has 3 for roundEven(3.5lf).
double round_to_even(double x) {
  precise double below = floor(x);
  precise double over = x - below;
  bool up = over > 0.5lf || (over == 0.5lf && floor(below * 0.5lf) * 2.0lf != below);
  precise double rounded_up = below + 1.0lf;
  double y = up ? rounded_up : below;
  return signed_as(y, is_negative(x));
}

double power_of_2(int n) { return packDouble2x32(uvec2(0u, uint(n + 1023) << 20)); }
// x 2^n with one rounding, also where the result is subnormal or over the range.
double times_power_of_2(double x, int n) {
  if (n > 1000) {
    precise double y = x * power_of_2(1000) * power_of_2(min(n - 1000, 1023));
    return y;
  }
  if (n < -1000) {
    precise double y = x * power_of_2(n + 600 < -1000 ? -1000 : n + 600) * power_of_2(-600);
    return y;
  }
  precise double y = x * power_of_2(n);
  return y;
}

// Without the last 27 bits: products of two such numbers are exact.
double upper_half(double x) {
  uvec2 bits = unpackDouble2x32(x);
  return packDouble2x32(uvec2(bits.x & 0xf8000000u, bits.y));
}

// a b as a double and what it lacks.
dvec2 exact_product(double a, double b) {
  precise double p = a * b;
  double a_high = upper_half(a);
  double b_high = upper_half(b);
  precise double a_low = a - a_high;
  precise double b_low = b - b_high;
  precise double rest = ((a_high * b_high - p) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return dvec2(p, rest);
}

// e^r - 1 for |r| up to 0.35: Taylor.
double small_expm1(double r) {
  precise double p = 1.0lf / 87178291200.0lf;
  p = 1.0lf / 6227020800.0lf + r * p;
  p = 1.0lf / 479001600.0lf + r * p;
  p = 1.0lf / 39916800.0lf + r * p;
  p = 1.0lf / 3628800.0lf + r * p;
  p = 1.0lf / 362880.0lf + r * p;
  p = 1.0lf / 40320.0lf + r * p;
  p = 1.0lf / 5040.0lf + r * p;
  p = 1.0lf / 720.0lf + r * p;
  p = 1.0lf / 120.0lf + r * p;
  p = 1.0lf / 24.0lf + r * p;
  p = 1.0lf / 6.0lf + r * p;
  p = r + r * r * (0.5lf + r * p);
  return p;
}

// e^(x + rest) for a rest that is far smaller.
double wide_exp(double x, double rest) {
  if (is_nan(x)) return x;
  if (x > 709.79lf) return double_inf;
  if (x < -745.2lf) return 0.0lf;
  precise double k = floor(x * 1.4426950408889634lf + 0.5lf);
  precise double r = (x - k * 0.6931471803691238lf) - (k * 1.9082149292705877e-10lf - rest);
  precise double y = 1.0lf + small_expm1(r);
  return times_power_of_2(y, int(k));
}

double wide_exp(double x) { return wide_exp(x, 0.0lf); }

double wide_exp2(double x) {
  if (is_nan(x)) return x;
  if (x >= 1024.0lf) return double_inf;
  if (x < -1076.0lf) return 0.0lf;
  precise double k = floor(x + 0.5lf);
  precise double r = x - k;
  precise double scaled = r * 0.6931471805599453lf;
  precise double y = 1.0lf + small_expm1(scaled);
  return times_power_of_2(y, int(k));
}

double wide_expm1(double x) {
  if (is_nan(x)) return x;
  if (x > 709.79lf) return double_inf;
  if (x < -40.0lf) return -1.0lf;
  if (abs(x) < 0.35lf) {
    double small = small_expm1(x);
    return x == 0.0lf ? x : small;
  }
  precise double k = floor(x * 1.4426950408889634lf + 0.5lf);
  precise double r = (x - k * 0.6931471803691238lf) - k * 1.9082149292705877e-10lf;
  precise double p = small_expm1(r);
  if (k > 1023.0lf) {
    precise double vast = (1.0lf + p) * 2.0lf;
    return times_power_of_2(vast, int(k) - 1);
  }
  double scale = power_of_2(int(k));
  precise double y = scale * p + (scale - 1.0lf);
  return y;
}

// The whole number and the exponent of |x| = whole 2^(exponent - 1075), for a finite x. Subnormal numbers are taken
// apart by their bits: a device may count them as 0.
int exponent_field(double x) { return max(int(unpackDouble2x32(x).y >> 20 & 0x7ffu), 1); }
uint64_t magnitude_bits(double x) {
  uvec2 bits = unpackDouble2x32(x);
  return uint64_t(bits.y & 0x7fffffffu) << 32 | uint64_t(bits.x);
}
uint64_t whole_field(double x) {
  uint64_t bits = magnitude_bits(x);
  return bits >> 52 == uint64_t(0) ? bits : (bits & (uint64_t(1) << 52) - uint64_t(1)) | uint64_t(1) << 52;
}
bool is_zero(double x) { return magnitude_bits(x) == uint64_t(0); }

// The exponent k of x = 2^k m with m between sqrt(1/2) and sqrt(2), and m; x is positive and finite.
int nearest_exponent(double x) {
  bool subnormal = magnitude_bits(x) >> 52 == uint64_t(0);
  uint high = unpackDouble2x32(subnormal ? double(whole_field(x)) : x).y;
  int k = int(high >> 20) - 1023;
  return ((high & 0xfffffu) > 0x6a09eu ? k + 1 : k) - (subnormal ? 1074 : 0);
}
double without_exponent(double x, int k) {
  bool subnormal = magnitude_bits(x) >> 52 == uint64_t(0);
  uvec2 bits = unpackDouble2x32(subnormal ? double(whole_field(x)) : x);
  bits.y -= uint(k + (subnormal ? 1074 : 0)) << 20;
  return packDouble2x32(bits);
}

// 2 artanh(s) - 2 s over s, for |s| up to 0.18 and z = s^2: Taylor.
double artanh_rest(double z) {
  precise double p = 2.0lf / 23.0lf;
  p = 2.0lf / 21.0lf + z * p;
  p = 2.0lf / 19.0lf + z * p;
  p = 2.0lf / 17.0lf + z * p;
  p = 2.0lf / 15.0lf + z * p;
  p = 2.0lf / 13.0lf + z * p;
  p = 2.0lf / 11.0lf + z * p;
  p = 2.0lf / 9.0lf + z * p;
  p = 2.0lf / 7.0lf + z * p;
  p = 2.0lf / 5.0lf + z * p;
  p = z * (2.0lf / 3.0lf + z * p);
  return p;
}

// log(1 + f) for 1 + f between sqrt(1/2) and sqrt(2), as f - (half - s (half + series)) with half = f^2 / 2 and
// s = f / (2 + f); the series is artanh_rest.
double small_log1p(double f) {
  precise double s = f / (2.0lf + f);
  precise double half_square = 0.5lf * f * f;
  precise double y = f - (half_square - s * (half_square + artanh_rest(s * s)));
  return f == 0.0lf ? f : y;
}

// What the logarithms give where there is none, or none that is finite.
double log_limit(double x) { return is_zero(x) ? -double_inf : is_negative(x) ? double_nan : x; }
bool has_log(double x) { return !is_zero(x) && !is_negative(x) && !is_inf(x) && !is_nan(x); }

double wide_log(double x) {
  if (!has_log(x)) return log_limit(x);
  int k = nearest_exponent(x);
  precise double f = without_exponent(x, k) - 1.0lf;
  precise double n = double(k);
  precise double y = n * 0.6931471803691238lf + (small_log1p(f) + n * 1.9082149292705877e-10lf);
  return y;
}

double wide_log2(double x) {
  if (!has_log(x)) return log_limit(x);
  int k = nearest_exponent(x);
  precise double f = without_exponent(x, k) - 1.0lf;
  precise double y = double(k) + small_log1p(f) * 1.4426950408889634lf;
  return y;
}

double wide_log10(double x) {
  precise double y = wide_log(x) * 0.4342944819032518lf;
  return y;
}

double wide_log1p(double x) {
  if (is_nan(x) || x == 0.0lf) return x;
  if (!(x > -1.0lf) || is_inf(x)) return x == -1.0lf ? -double_inf : x > 0.0lf ? x : double_nan;
  if (x > -0.29lf && x < 0.41lf) return small_log1p(x);
  precise double sum = 1.0lf + x;
  // What the sum lost.
  precise double lost = x > 1.0lf ? 1.0lf - (sum - x) : x - (sum - 1.0lf);
  precise double y = wide_log(sum) + lost / sum;
  return y;
}

double wide_sigmoid(double x) {
  precise double y = 1.0lf / (1.0lf + wide_exp(-x));
  return y;
}

double wide_sinh(double x) {
  double m = abs(x);
  double y;
  if (m > 700.0lf) {
    precise double root = wide_exp(m * 0.5lf);
    precise double vast = root * 0.5lf * root;
    y = vast;
  } else {
    precise double t = wide_expm1(m);
    precise double sum = 0.5lf * (t + t / (1.0lf + t));
    y = sum;
  }
  return is_nan(x) ? x : signed_as(y, is_negative(x));
}

double wide_cosh(double x) {
  double m = abs(x);
  precise double root = wide_exp(m > 700.0lf ? m * 0.5lf : m);
  precise double y = m > 700.0lf ? root * 0.5lf * root : 0.5lf * root + 0.5lf / root;
  return y;
}

double wide_tanh(double x) {
  double m = abs(x);
  precise double t = wide_expm1(-2.0lf * m);
  precise double y = -t / (2.0lf + t);
  return is_nan(x) ? x : signed_as(y, is_negative(x));
}

// Where its square overflows, 1 is nothing to a number: log(2 x).
double wide_asinh(double x) {
  double m = abs(x);
  precise double square = m * m;
  precise double more = m + square / (1.0lf + sqrt(1.0lf + square));
  precise double vast = wide_log(m) + 0.6931471805599453lf;
  double y = m > 1e10lf ? vast : wide_log1p(more);
  return is_nan(x) ? x : signed_as(y, is_negative(x));
}

double wide_acosh(double x) {
  if (is_nan(x)) return x;
  if (x < 1.0lf) return double_nan;
  precise double over = x - 1.0lf;
  precise double more = over + sqrt(2.0lf * over + over * over);
  precise double vast = wide_log(x) + 0.6931471805599453lf;
  return x > 1e10lf ? vast : wide_log1p(more);
}

double wide_atanh(double x) {
  double m = abs(x);
  precise double y = 0.5lf * wide_log1p(2.0lf * m / (1.0lf - m));
  return m > 1.0lf ? double_nan : is_nan(x) ? x : signed_as(y, is_negative(x));
}
