// Angles of doubles: sine and its kin, and their inverses.

// The bits of 2 / pi, after 64 of 0.
const uint[42] bits_of_2_over_pi = uint[42](
    0x00000000u, 0x00000000u,
    0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au,
    0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u,
    0x3991d639u, 0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu,
    0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u,
    0x56033046u, 0xfc7b6babu, 0xf0cfbc20u, 0x9af4361du);

// A number of quadrants to leave out of a large x, and how much of one is left (Payne and Hanek): x is a whole number
// times 2^e, and of 2 / pi only the bits count that make less than four quadrants of it.
struct Quadrants {
  int count;
  double part;
};
Quadrants quadrants_of_large(double x) {
  uint64_t whole = uint64_t(unpackDouble2x32(x).y & 0xfffffu | 0x100000u) << 32 | uint64_t(unpackDouble2x32(x).x);
  uint first = (unpackDouble2x32(x).y >> 20) - 1077u + 64u;
  uint64_t low = whole & uint64_t(0xffffffffu);
  uint64_t high = whole >> 32;
  uint digits[6];
  for (uint i = 0u; i < 6u; ++i) {
    uint at = (first >> 5) + i;
    uint shift = first & 31u;
    uint next = shift == 0u ? 0u : bits_of_2_over_pi[at + 1u] >> (32u - shift);
    digits[i] = bits_of_2_over_pi[at] << shift | next;
  }
  // The fraction of whole * 0.digits, a word at a time from the last.
  uint product[6];
  uint64_t carry = uint64_t(0);
  for (int i = 5; i >= 0; --i) {
    uint64_t sum = low * uint64_t(digits[i]) + carry;
    product[i] = uint(sum & uint64_t(0xffffffffu));
    carry = sum >> 32;
  }
  carry = uint64_t(0);
  for (int i = 5; i >= 1; --i) {
    uint64_t sum = high * uint64_t(digits[i]) + uint64_t(product[i - 1]) + carry;
    product[i - 1] = uint(sum & uint64_t(0xffffffffu));
    carry = sum >> 32;
  }
  uint64_t upper = uint64_t(product[0]) << 32 | uint64_t(product[1]);
  uint64_t lower = uint64_t(product[2]) << 32 | uint64_t(product[3]);
  Quadrants made;
  uint64_t nearest = (upper >> 62) + (upper >> 61 & uint64_t(1));
  made.count = int(nearest & uint64_t(3));
  int64_t rest = int64_t(upper - (nearest << 62));
  precise double part = double(rest) * 2.16840434497100886801e-19lf + double(lower >> 11) * 2.40741243048404e-35lf;
  made.part = part;
  return made;
}

// sin(r + rest) and cos(r + rest) for |r| up to pi / 4, by Taylor.
double small_sine(double r, double rest) {
  precise double z = r * r;
  precise double p = 1.0lf / 355687428096000.0lf;
  p = -1.0lf / 1307674368000.0lf + z * p;
  p = 1.0lf / 6227020800.0lf + z * p;
  p = -1.0lf / 39916800.0lf + z * p;
  p = 1.0lf / 362880.0lf + z * p;
  p = -1.0lf / 5040.0lf + z * p;
  p = 1.0lf / 120.0lf + z * p;
  p = -1.0lf / 6.0lf + z * p;
  precise double y = r + (r * z * p + rest * (1.0lf - 0.5lf * z));
  return r == 0.0lf ? r : y;
}
double small_cosine(double r, double rest) {
  precise double z = r * r;
  precise double p = 1.0lf / 20922789888000.0lf;
  p = -1.0lf / 87178291200.0lf + z * p;
  p = 1.0lf / 479001600.0lf + z * p;
  p = -1.0lf / 3628800.0lf + z * p;
  p = 1.0lf / 40320.0lf + z * p;
  p = -1.0lf / 720.0lf + z * p;
  p = 1.0lf / 24.0lf + z * p;
  precise double half_square = 0.5lf * z;
  precise double most = 1.0lf - half_square;
  precise double y = most + (((1.0lf - most) - half_square) + (z * z * p - r * rest));
  return y;
}

// The sine and the cosine of x.
dvec2 sine_and_cosine(double x) {
  if (is_nan(x) || is_inf(x)) return dvec2(double_nan, double_nan);
  double m = abs(x);
  int count;
  double r;
  double rest = 0.0lf;
  if (m < 1000000.0lf) {
    // pi / 2 in three parts, of which two have 33 bits: products with the count are exact.
    precise double k = floor(m * 0.6366197723675814lf + 0.5lf);
    precise double first = m - k * 1.5707963267341256lf;
    precise double middle = k * 6.077100506303966e-11lf;
    precise double second = first - middle;
    precise double lost = (first - second) - middle;
    precise double last = k * 2.0222662487959506e-21lf - lost;
    precise double near = second - last;
    precise double near_rest = (second - near) - last;
    count = int(k) & 3;
    r = near;
    rest = near_rest;
  } else {
    Quadrants quadrants = quadrants_of_large(m);
    count = quadrants.count;
    precise double scaled = quadrants.part * 1.5707963267948966lf;
    r = scaled;
  }
  double s = small_sine(r, rest);
  double c = small_cosine(r, rest);
  double sine = (count & 1) == 0 ? s : c;
  double cosine = (count & 1) == 0 ? c : s;
  if (count >= 2) sine = -sine;
  if (count == 1 || count == 2) cosine = -cosine;
  return dvec2(is_negative(x) ? -sine : sine, cosine);
}

double wide_sin(double x) { return sine_and_cosine(x).x; }

double wide_cos(double x) { return sine_and_cosine(x).y; }

double wide_tan(double x) {
  dvec2 both = sine_and_cosine(x);
  precise double y = both.x / both.y;
  return y;
}

// sin(pi x) and cos(pi x): whole numbers make no error.
dvec2 half_turns(double x) {
  precise double nearest = floor(2.0lf * x + 0.5lf);
  precise double r = (x - 0.5lf * nearest) * 3.141592653589793lf;
  precise double rest = (x - 0.5lf * nearest) * 1.2246467991473532e-16lf;
  precise double fours = nearest - 4.0lf * floor(nearest * 0.25lf);
  int count = int(fours);
  double s = small_sine(r, rest);
  double c = small_cosine(r, rest);
  double sine = (count & 1) == 0 ? s : c;
  double cosine = (count & 1) == 0 ? c : s;
  if (count >= 2) sine = -sine;
  if (count == 1 || count == 2) cosine = -cosine;
  return dvec2(sine, cosine);
}

// Cephes' atan: rational up to tan(pi / 8) or so, about 0, pi / 4 and pi / 2.
double wide_atan(double x) {
  double m = abs(x);
  bool large = m > 2.414213562373095lf;
  bool middle = !large && m > 0.66lf;
  precise double t = large ? -1.0lf / m : middle ? (m - 1.0lf) / (m + 1.0lf) : m;
  precise double z = t * t;
  precise double p = -8.750608600031904122785e-1lf;
  p = -1.615753718733365076637e1lf + z * p;
  p = -7.500855792314704667340e1lf + z * p;
  p = -1.228866684490136173410e2lf + z * p;
  p = -6.485021904942025371773e1lf + z * p;
  precise double q = 2.485846490142306297962e1lf + z;
  q = 1.650270098316988542046e2lf + z * q;
  q = 4.328810604912902668951e2lf + z * q;
  q = 4.853903996359136964868e2lf + z * q;
  q = 1.945506571482613964425e2lf + z * q;
  // What pi / 2 lacks.
  double rest = large ? 6.123233995736766e-17lf : middle ? 3.061616997868383e-17lf : 0.0lf;
  precise double start = large ? 1.5707963267948966lf : middle ? 0.7853981633974483lf : 0.0lf;
  precise double y = start + ((t * (z * p / q) + rest) + t);
  return is_nan(x) ? x : signed_as(y, is_negative(x));
}

double wide_asin(double x) {
  precise double y = wide_atan(x / sqrt((1.0lf - x) * (1.0lf + x)));
  return abs(x) > 1.0lf ? double_nan : y;
}

double wide_acos(double x) {
  precise double y = 2.0lf * wide_atan(sqrt((1.0lf - x) / (1.0lf + x)));
  return abs(x) > 1.0lf ? double_nan : y;
}

double wide_angle_of(double y, double x) {
  if (is_nan(x) || is_nan(y)) return double_nan;
  const double pi = 3.141592653589793lf;
  bool along_x = y == 0.0lf || (is_inf(x) && !is_inf(y));
  precise double slope = wide_atan(abs(y) / abs(x));
  precise double mirrored = pi - (slope - 1.2246467991473532e-16lf);
  double a = along_x ? (is_negative(x) ? pi : 0.0lf)
             : is_inf(x) ? (is_negative(x) ? 0.75lf * pi : 0.25lf * pi)
             : is_inf(y) || x == 0.0lf ? 0.5lf * pi : is_negative(x) ? mirrored : slope;
  return signed_as(a, is_negative(y));
}

// sin(x) / x.
double cardinal_sine(double x) {
  precise double y = wide_sin(x) / x;
  return x == 0.0lf ? 1.0lf : y;
}
