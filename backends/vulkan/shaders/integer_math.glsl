// Functions of integers. What raises says so in `raised`.

// Of a negative exponent only what 1 and -1 give is no fraction.
int64_t whole_power(int64_t x, int64_t y) {
  if (y < 0) return x == 1 ? int64_t(1) : x == -1 ? ((y & 1) == 0 ? int64_t(1) : int64_t(-1)) : int64_t(0);
  int64_t p = 1;
  for (int64_t rest = y; rest > 0; rest >>= 1) {
    if ((rest & 1) != 0) p *= x;
    x *= x;
  }
  return p;
}

// GLSL leaves the quotient and the rest of negative integers open.
uint64_t magnitude(int64_t x) { return x < 0 ? uint64_t(-x) : uint64_t(x); }

int64_t cut_quotient(int64_t x, int64_t y) {
  if (y == 0) {
    raised = ZeroDivision;
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

// A number of so many bits wraps around; of the least one the magnitude is itself.
int64_t magnitude_in(int64_t x, int64_t bits) {
  int unused = 64 - int(bits);
  return x < 0 ? (-x << unused) >> unused : x;
}

int64_t common_divisor(int64_t a, int64_t b, int64_t bits) {
  a = magnitude_in(a, bits);
  b = magnitude_in(b, bits);
  while (a != 0) {
    int64_t rest = remaining(b, a);
    b = a;
    a = rest;
  }
  return b;
}

// What is narrower than 32 bits is multiplied in 32.
int64_t common_multiple(int64_t a, int64_t b, int64_t bits) {
  int64_t divisor = common_divisor(a, b, bits);
  if (divisor == 0) return divisor;
  int unused = bits == 64 ? 0 : 32;
  int64_t product = ((cut_quotient(a, divisor) * b) << unused) >> unused;
  return magnitude_in(product, bits == 64 ? bits : int64_t(32));
}
