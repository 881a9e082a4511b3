// Functions of floats that GLSL does not have, leaves open somewhere, or leaves to drivers that lose too much.

float minimum(float a, float b) { return is_nan(a) || a < b ? a : b; }
double minimum(double a, double b) { return is_nan(a) || a < b ? a : b; }

float maximum(float a, float b) { return is_nan(a) || a > b ? a : b; }
double maximum(double a, double b) { return is_nan(a) || a > b ? a : b; }

float clamped(float x, float low, float high) {
  if (is_nan(x)) return x;
  x = !(x >= low) ? low : x;
  return is_nan(x) || x <= high ? x : high;
}
double clamped(double x, double low, double high) {
  if (is_nan(x)) return x;
  x = !(x >= low) ? low : x;
  return is_nan(x) || x <= high ? x : high;
}

// With floats: LLVM 19, which Debian 13's lavapipe compiles with, gets 1 - y wrong where y has its sign set by bits.
float with_sign(float x, bool negative) {
  return negative ? -abs(x) : abs(x);
}

// Abramowitz and Stegun 7.1.26: 1.5e-7 off at most.
float error_function(float x) {
  precise float m = abs(x);
  precise float t = 1.0 / (1.0 + 0.3275911 * m);
  precise float sum = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  precise float y = 1.0 - sum * exp(-m * m);
  return is_nan(x) ? x : with_sign(y, is_negative(x));
}

// The rules of C's pow, which GLSL leaves open outside x > 0.
float power(float x, float y) {
  if (y == 0.0 || x == 1.0) return 1.0;
  if (is_nan(x) || is_nan(y)) return float_nan;
  float m = abs(x);
  bool whole = is_inf(y) || floor(y) == y;
  bool odd = whole && abs(y) < 16777216.0 && (int(y) & 1) != 0;
  float p;
  if (is_inf(y)) {
    p = m == 1.0 ? 1.0 : (m > 1.0) == (y > 0.0) ? float_inf : 0.0;
  } else if (m == 0.0 || is_inf(m)) {
    p = (m == 0.0) == (y > 0.0) ? 0.0 : float_inf;
  } else {
    // A driver's logarithm may be of a number that is not subnormal.
    p = m < 1.1754944e-38 ? pow(m * 16777216.0, y) * exp2(-24.0 * y) : pow(m, y);
    if (x < 0.0 && !whole) return float_nan;
  }
  return odd && is_negative(x) ? -p : p;
}

int double_exponent(double x) { return int(unpackDouble2x32(x).y >> 20 & 0x7ffu); }

double with_exponent_more(double x, int by) {
  uvec2 bits = unpackDouble2x32(x);
  bits.y += uint(by) << 20;
  return packDouble2x32(bits);
}

// Exact, as C's fmod: 28 bits of the quotient at a time, whose product with a float no double rounds.
float float_remaining(float x, float y) {
  if (is_nan(x) || is_nan(y) || is_inf(x) || y == 0.0) return float_nan;
  if (is_inf(y)) return x;
  precise double rest = abs(double(x));
  double divisor = abs(double(y));
  for (int round = 0; round < 12 && rest >= divisor; ++round) {
    double step = with_exponent_more(divisor, max(double_exponent(rest) - double_exponent(divisor) - 28, 0));
    precise double quotient = floor(rest / step);
    rest = rest - quotient * step;
    if (rest < 0.0lf) rest += step;
  }
  return with_sign(float(rest), is_negative(x));
}

// Not the floor of the quotient, which may have been rounded up.
float float_floored(float x, float y) {
  precise float plain = x / y;
  if (y == 0.0) return plain;
  float rest = float_remaining(x, y);
  precise float quotient = (x - rest) / y;
  if (rest != 0.0 && (rest < 0.0) != (y < 0.0)) quotient -= 1.0;
  return quotient == 0.0 ? with_sign(0.0, is_negative(plain)) : roundEven(quotient);
}

// Cephes' atanf: two units off at most.
float arc_tangent(float x) {
  precise float m = abs(x);
  bool large = m > 2.414213562373095;
  bool middle = !large && m > 0.4142135623730950;
  precise float t = large ? -1.0 / m : middle ? (m - 1.0) / (m + 1.0) : m;
  precise float z = t * t;
  precise float p = (((8.05374449538e-2 * z - 1.38776856032e-1) * z + 1.99777106478e-1) * z - 3.33329491539e-1) * z * t;
  precise float y = (large ? 1.5707963267948966 : middle ? 0.7853981633974483 : 0.0) + (p + t);
  return is_nan(x) ? x : with_sign(y, is_negative(x));
}

// A driver's sinh may be (exp(x) - exp(-x)) / 2, which loses what is small. The series is within half a unit up to 1.
float hyperbolic_sine(float x) {
  precise float s = x * x;
  precise float y = x * (1.0 + s / 6.0 * (1.0 + s / 20.0 * (1.0 + s / 42.0 * (1.0 + s / 72.0))));
  return abs(x) < 1.0 ? y : sinh(x);
}

const float log_of_2 = 0.6931471805599453;

// A driver may take a subnormal number for one half as large as the least normal one: its bits are a multiple of 2^-149.
bool is_below_normal(float x) { return floatBitsToUint(x) - 1u < 0x7fffffu; }
float logarithm(float x) {
  precise float below = log(float(floatBitsToUint(x))) - 103.27892990343185;
  return is_below_normal(x) ? below : log(x);
}
float logarithm2(float x) {
  precise float below = log2(float(floatBitsToUint(x))) - 149.0;
  return is_below_normal(x) ? below : log2(x);
}


// A driver's asinh and acosh may square the number. Where that overflows, 1 is nothing to it: log(2 x).
float area_sine(float x) {
  return abs(x) < 1e15 ? asinh(x) : with_sign(log(abs(x)) + log_of_2, is_negative(x));
}

float area_cosine(float x) {
  if (x < 1.0) return float_nan;
  return x < 1e15 ? acosh(x) : log(x) + log_of_2;
}

float angle_of(float y, float x) {
  if (is_nan(x) || is_nan(y)) return float_nan;
  const float pi = 3.14159265358979;
  bool along_x = y == 0.0 || (is_inf(x) && !is_inf(y));
  float a = along_x ? (is_negative(x) ? pi : 0.0)
            : is_inf(x) ? (is_negative(x) ? 0.75 * pi : 0.25 * pi)
            : is_inf(y) || x == 0.0 ? 0.5 * pi
            : is_negative(x) ? pi - arc_tangent(abs(y) / abs(x)) : arc_tangent(abs(y) / abs(x));
  return with_sign(a, is_negative(y));
}

float hypotenuse(float a, float b) {
  if (is_inf(a) || is_inf(b)) return float_inf;
  precise float m = max(abs(a), abs(b));
  precise float r = min(abs(a), abs(b)) / m;
  if (is_nan(a) || is_nan(b)) return float_nan;
  precise float y = m * sqrt(1.0 + r * r);
  return m == 0.0 ? 0.0 : y;
}

// The number of a format next to a on the way to b. Its bits are those of a float, cut off, or its own.
const float FloatSteps = 0.0;
const float BrainSteps = 1.0;
const float HalfSteps = 2.0;
float next_float(float a, float b, float kind) {
  if (is_nan(a) || is_nan(b)) return float_nan;
  int from = int(floatBitsToUint(a) & 0x7fffffffu);
  int to = int(floatBitsToUint(b) & 0x7fffffffu);
  if (from == 0 && to == 0) return b;
  from = is_negative(a) ? -from : from;
  to = is_negative(b) ? -to : to;
  if (from == to) return b;
  bool up = to > from;
  uint bits = kind == HalfSteps ? float_to_half(a) : floatBitsToUint(a) >> (kind == BrainSteps ? 16 : 0);
  uint sign = kind == FloatSteps ? 0x80000000u : 0x8000u;
  uint next = (bits & (sign - 1u)) == 0u ? (up ? 1u : sign | 1u) : up == is_negative(a) ? bits - 1u : bits + 1u;
  if (kind == HalfSteps) return half_to_float(next);
  return uintBitsToFloat(next << (kind == BrainSteps ? 16 : 0));
}
