// A program over elements: every invocation loads one element of each operand, runs a list of operations on registers,
// and stores what comes out.
//
// Metadata: rank, sizes; the number of loads and, each in 2 + rank words, slot | dtype << 8 | register << 16, offset,
// strides; the number of constants, each with its register and two words; the number of operations, a word each; the
// number of stores, each like a load. An operation is opcode | target << 8 | a << 14 | b << 20 | c << 26.
bool raised = false;

float minimum(float a, float b) { return is_nan(a) || a < b ? a : b; }
float maximum(float a, float b) { return is_nan(a) || a > b ? a : b; }
double minimum(double a, double b) { return is_nan(a) || a < b ? a : b; }
double maximum(double a, double b) { return is_nan(a) || a > b ? a : b; }
float clamped(float x, float low, float high) {
  if (is_nan(x)) return x;
  x = !(x >= low) ? low : x;
  return !(x <= high) ? high : x;
}
double clamped(double x, double low, double high) {
  if (is_nan(x)) return x;
  x = !(x >= low) ? low : x;
  return !(x <= high) ? high : x;
}
float with_sign(float x, bool negative) {
  return uintBitsToFloat((floatBitsToUint(x) & 0x7fffffffu) | (negative ? 0x80000000u : 0u));
}

// llvmpipe of Mesa 22.3.6 has 3 for roundEven(3.5lf).
double round_to_even(double x) {
  precise double below = floor(x);
  precise double over = x - below;
  bool up = over > 0.5lf || (over == 0.5lf && floor(below * 0.5lf) * 2.0lf != below);
  return up ? below + 1.0lf : below;
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
    p = pow(m, y);
    if (x < 0.0 && !whole) return float_nan;
  }
  return odd && is_negative(x) ? -p : p;
}
// Of a negative exponent only what 1 and -1 give is no fraction.
int64_t power(int64_t x, int64_t y) {
  if (y < 0) return x == 1 ? int64_t(1) : x == -1 ? ((y & 1) == 0 ? int64_t(1) : int64_t(-1)) : int64_t(0);
  int64_t p = 1;
  for (int64_t rest = y; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) p *= x;
    x *= x;
  }
  return p;
}

int exponent_of(double x) { return int(unpackDouble2x32(x).y >> 20 & 0x7ffu); }
double scaled(double x, int by) {
  uvec2 bits = unpackDouble2x32(x);
  bits.y += uint(by) << 20;
  return packDouble2x32(bits);
}
// Exact, as C's fmod: 28 bits of the quotient at a time, whose product with a float no double rounds.
float remaining(float x, float y) {
  if (is_nan(x) || is_nan(y) || is_inf(x) || y == 0.0) return float_nan;
  if (is_inf(y)) return x;
  precise double rest = abs(double(x));
  double divisor = abs(double(y));
  for (int round = 0; round < 12 && rest >= divisor; ++round) {
    double step = scaled(divisor, max(exponent_of(rest) - exponent_of(divisor) - 28, 0));
    precise double quotient = floor(rest / step);
    rest = rest - quotient * step;
    if (rest < 0.0lf) rest += step;
  }
  return with_sign(float(rest), is_negative(x));
}
// Not the floor of the quotient, which may have been rounded up.
float floored(float x, float y) {
  precise float plain = x / y;
  if (y == 0.0) return plain;
  float rest = remaining(x, y);
  precise float quotient = (x - rest) / y;
  if (rest != 0.0 && (rest < 0.0) != (y < 0.0)) quotient -= 1.0;
  return quotient == 0.0 ? with_sign(0.0, is_negative(plain)) : roundEven(quotient);
}

// GLSL leaves the quotient and the rest of negative integers open.
uint64_t magnitude(int64_t x) { return x < 0 ? uint64_t(-x) : uint64_t(x); }
int64_t cut_quotient(int64_t x, int64_t y) {
  if (y == 0) {
    raised = true;
    return 0;
  }
  int64_t quotient = int64_t(magnitude(x) / magnitude(y));
  return (x < 0) != (y < 0) ? -quotient : quotient;
}
int64_t remaining(int64_t x, int64_t y) { return x - cut_quotient(x, y) * y; }
int64_t floored(int64_t x, int64_t y) {
  int64_t quotient = cut_quotient(x, y);
  int64_t rest = x - quotient * y;
  return rest != 0 && (rest < 0) != (y < 0) ? quotient - 1 : quotient;
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

// A driver's asinh and acosh may square the number. Where that overflows, 1 is nothing to it: log(2 x).
const float log_of_2 = 0.6931471805599453;
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

// second and third are the operands b and c as they are written.
uvec2 computed(uint opcode, uvec2 a_bits, uvec2 b_bits, uvec2 c_bits, uint second, uint third, uint item) {
  uvec2 y_bits = uvec2(0u);
  switch (opcode) {
CASES
  }
  return y_bits;
}

void main() {
  uint item = push.first + gl_GlobalInvocationID.x;
  if (item >= push.count) return;
  uint at = push.metadata;
  uint rank = metadata[at++];
  int coordinates[8];
  uint rest = item;
  for (uint d = rank; d-- > 0u;) {
    uint size = metadata[at + d];
    coordinates[d] = int(rest % size);
    rest /= size;
  }
  at += rank;
  uvec2 registers[REGISTERS];
  uint loads = metadata[at++];
  for (uint i = 0u; i < loads; ++i) {
    uint head = metadata[at];
    int element = int(metadata[at + 1u]);
    for (uint d = 0u; d < rank; ++d) element += coordinates[d] * int(metadata[at + 2u + d]);
    registers[head >> 16] = load(head & 0xffu, head >> 8 & 0xffu, element);
    at += 2u + rank;
  }
  uint constants = metadata[at++];
  for (uint i = 0u; i < constants; ++i) {
    registers[metadata[at]] = uvec2(metadata[at + 1u], metadata[at + 2u]);
    at += 3u;
  }
  uint operations = metadata[at++];
  for (uint i = 0u; i < operations; ++i) {
    uint word = metadata[at++];
    uint b = word >> 20 & 63u;
    uint c = word >> 26;
    registers[word >> 8 & 63u] =
        computed(word & 0xffu, registers[word >> 14 & 63u], registers[b], registers[c], b, c, item);
  }
  uint stores = metadata[at++];
  for (uint i = 0u; i < stores; ++i) {
    uint head = metadata[at];
    int element = int(metadata[at + 1u]);
    for (uint d = 0u; d < rank; ++d) element += coordinates[d] * int(metadata[at + 2u + d]);
    store(head & 0xffu, head >> 8 & 0xffu, element, registers[head >> 16]);
    at += 2u + rank;
  }
  if (raised) raise(ZeroDivision, 0, 0);
}
