// Special functions from their series and integrals, which are summed in long double.
#include <cmath>
#include <limits>
#include <numbers>

#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

using Domain = PlainOp::Domain;
using Real = long double;
constexpr Real infinity = std::numeric_limits<Real>::infinity();
constexpr Real nan = std::numeric_limits<Real>::quiet_NaN();
constexpr Real epsilon = std::numeric_limits<Real>::epsilon();

template <auto function>
double library(Perturbed& p, const PlainCall&, double x) {
  return p.fn([](auto y) { return function(static_cast<Real>(y)); }, x);
}

// exp(x^2) with the square's own rounding.
Real exp_of_square(Real x) {
  const Real square = x * x;
  return std::exp(square) * (1 + std::fma(x, x, -square));
}

// Far out by Laplace's continued fraction.
Real erfcx(Real x) {
  if (x < 8) return exp_of_square(x) * std::erfc(x);
  Real fraction = x;
  for (int k = 80; k > 0; --k) fraction = x + static_cast<Real>(k) / 2 / fraction;
  return std::numbers::inv_sqrtpi_v<Real> / fraction;
}

// The y in [low, high] where a falling function meets 0.
template <class Function>
Real bisected(Real low, Real high, Function falling) {
  for (int step = 0; step < 80; ++step) {
    const Real middle = low + (high - low) / 2;
    (falling(middle) > 0 ? low : high) = middle;
  }
  return low;
}

// 1 - |x| is exact from 1/2 on.
Real erfinv(Real x) {
  const Real reach = std::fabs(x);
  if (reach >= 1) return reach == 1 ? std::copysign(infinity, x) : nan;
  // erf(y) is between 0.88 y and 1.13 y where it is below 1/2.
  const Real y = reach < 0.5L ? bisected(
                                    0.8L * reach, 1.2L * reach, [&](Real z) { return reach - std::erf(z); })
                              : bisected(0, 120, [&](Real z) { return std::erfc(z) - (1 - reach); });
  return std::copysign(y, x);
}

Real ndtri(Real x) {
  if (x <= 0 || x >= 1) return x == 0 ? -infinity : x == 1 ? infinity : nan;
  const Real root = std::numbers::sqrt2_v<Real>;
  if (x > 0.25L) return root * erfinv(2 * x - 1);
  return -root * bisected(0, 120, [&](Real z) { return std::erfc(z) - 2 * x; });
}

// Euler and Maclaurin's sum for the tail of Hurwitz's series; the numbers are B_2k / (2k)!.
Real zeta(Real s, Real q) {
  if (s == 1) return infinity;
  if (s < 1) return nan;
  if (q <= 0 && q == std::floor(q)) return infinity;
  if (q < 0 && s != std::floor(s)) return nan;
  constexpr Real numbers[] = {1.0L / 12,          -1.0L / 720,
                              1.0L / 30240,       -1.0L / 1209600,
                              1.0L / 47900160,    -691.0L / 1307674368000,
                              1.0L / 74724249600, -3617.0L / 10670622842880000};
  const int terms = 40 + static_cast<int>(std::max<Real>(0, -q));
  Real sum = 0;
  for (int k = 0; k < terms; ++k) sum += std::pow(q + k, -s);
  const Real end = q + terms;
  sum += std::pow(end, 1 - s) / (s - 1) + std::pow(end, -s) / 2;
  Real rising = s * std::pow(end, -s - 1);
  int factor = 1;
  for (const Real number : numbers) {
    sum += number * rising;
    rising *= (s + factor) * (s + factor + 1) / (end * end);
    factor += 2;
  }
  return sum;
}

// By the recurrence to where the asymptotic series is good.
Real digamma(Real x) {
  if (x == 0) return std::copysign(infinity, -x);
  if (x < 0 && x == std::floor(x)) return nan;
  constexpr Real pi = std::numbers::pi_v<Real>;
  if (x < 0) return digamma(1 - x) - pi / std::tan(pi * std::fmod(x, 1.0L));
  Real sum = 0;
  for (; x < 40; x += 1) sum -= 1 / x;
  const Real z = 1 / (x * x);
  const Real series =
      z * (1.0L / 12 - z * (1.0L / 120 - z * (1.0L / 252 - z * (1.0L / 240 - z * (1.0L / 132 - z * 691.0L / 32760)))));
  return sum + std::log(x) - 1 / (2 * x) - series;
}

// I of an order of 0 or 1: (x/2)^order times the sum of (x^2/4)^k / (k! (k + order)!), whose terms are positive; or
// the start of its asymptotic series.
template <int order, bool scaled>
Real bessel_i(Real x) {
  const Real reach = std::fabs(x);
  const Real sign = order == 1 && x < 0 ? -1 : 1;
  Real term = 1;
  Real sum = 1;
  if (reach > 2000) {
    for (int k = 1; k < 12; ++k) {
      term *= -(4.0L * order - (2 * k - 1) * (2 * k - 1)) / (8 * k * reach);
      sum += term;
    }
    return sign * sum / std::sqrt(2 * std::numbers::pi_v<Real> * reach) * (scaled ? 1 : std::exp(reach));
  }
  term = sum = order == 1 ? reach / 2 : 1;
  for (int k = 1; term > sum * epsilon / 16; ++k) {
    term *= reach * reach / 4 / (static_cast<Real>(k) * (k + order));
    sum += term;
  }
  return sign * (scaled ? sum * std::exp(-reach) : sum);
}

// K of an order as the integral of exp(-x cosh t) cosh(order t) over t >= 0: a trapezoid sum of positive terms, whose
// error is exp(-pi^2 / step), and exp(-2 pi^2 / (x step^2)) where x makes it a narrow bell. Times exp(x) where it is
// scaled.
Real bessel_k(Real order, Real x, bool scaled) {
  if (x <= 0 || std::isnan(x)) return x == 0 ? infinity : nan;
  const Real step = 0.5L / std::sqrt(std::max<Real>(x, 16));
  Real sum = 0.5L;
  for (int k = 1;; ++k) {
    const Real half = std::sinh(static_cast<Real>(k) * step / 2);
    const Real term = std::exp(-2 * x * half * half) * std::cosh(order * static_cast<Real>(k) * step);
    sum += term;
    if (term < sum * epsilon / 64 && 2 * x * half * half > 1) break;
  }
  return step * sum * (scaled ? 1 : std::exp(-x));
}
template <int order, bool scaled>
Real bessel_k_of(Real x) {
  // Near 0 the integral is long, and one term of the series enough.
  if (x > 0 && x < 0x1p-40L) return order == 1 ? 1 / x : -std::log(x / 2) - std::numbers::egamma_v<Real>;
  return bessel_k(order, x, scaled);
}

Real airy_ai(Real x) {
  // Ai(0) + Ai'(0) x; the next term has a cube.
  if (x < 0x1p-24L) return 0.355028053887817239260063186004183177L - 0.258819403792806798405183560189203963L * x;
  const Real zeta = 2 * x * std::sqrt(x) / 3;
  return std::sqrt(x / 3) / std::numbers::pi_v<Real> * bessel_k(1.0L / 3, zeta, false);
}

Real y0_of(Real x) { return ::y0l(x); }
Real y1_of(Real x) { return ::y1l(x); }
// At 0 everybody's is exact.
double bessel_j0(Perturbed& p, const PlainCall&, double x) {
  return x == 0 ? 1 : p.fn([](auto y) { return ::j0l(y); }, x);
}
double bessel_j1(Perturbed& p, const PlainCall&, double x) {
  return p.fn([](auto y) { return ::j1l(y); }, x);
}

double spherical_bessel(Perturbed& p, const PlainCall&, double x) {
  return x == 0 ? 1 : p.div(p.fn([](auto y) { return std::sin(y); }, x), x);
}

double ndtr(Perturbed& p, const PlainCall&, double x) {
  const double scaled = p.mul(x, p.constant(1 / std::numbers::sqrt2));
  if (std::fabs(scaled) < 1 / std::numbers::sqrt2) {
    return p.fma(0.5, p.fn([](auto y) { return std::erf(y); }, scaled), 0.5);
  }
  const double tail = p.mul(0.5, p.fn([](auto y) { return std::erfc(y); }, std::fabs(scaled)));
  return x > 0 ? p.sub(1, tail) : tail;
}

double entr(Perturbed& p, const PlainCall&, double x) {
  if (x <= 0) return x == 0 ? 0 : -std::numeric_limits<double>::infinity();
  return p.mul(-x, p.fn([](auto y) { return std::log(y); }, x));
}

double zeta_of(Perturbed& p, const PlainCall&, double s, double q) {
  return p.fn([](auto a, auto b) { return zeta(static_cast<Real>(a), static_cast<Real>(b)); }, s, q);
}

double polygamma(Perturbed& p, const PlainCall&, double n, double x) {
  const auto value = [](auto order, auto y) {
    const auto k = static_cast<Real>(order);
    if (k == 0) return digamma(static_cast<Real>(y));
    return (std::fmod(k, 2.0L) == 1 ? 1 : -1) * std::tgamma(k + 1) * zeta(k + 1, static_cast<Real>(y));
  };
  return p.fn(value, n, x);
}

}  // namespace

std::vector<PlainOp> plain_special_ops() {
  return {
      {"special", "aten.special_erfcx.default", library<erfcx>},
      {"special", "aten.erfinv.default", library<erfinv>, Domain::Unit},
      {"special", "aten.special_ndtr.default", ndtr},
      {"special", "aten.special_ndtri.default", library<ndtri>, Domain::Unit},
      {"special", "aten.special_entr.default", entr, Domain::Positive},
      {"special", "aten.digamma.default", library<digamma>, Domain::Positive},
      {"special", "aten.polygamma.default", polygamma, Domain::Positive},
      {"special", "aten.special_zeta.default", zeta_of, Domain::OverOne},
      {"special", "aten.special_zeta.self_scalar", zeta_of, Domain::OverOne},
      {"special", "aten.special_zeta.other_scalar", zeta_of, Domain::OverOne},

      {"bessel", "aten.i0.default", library<bessel_i<0, false>>},
      {"bessel", "aten.special_i0e.default", library<bessel_i<0, true>>},
      {"bessel", "aten.special_i1.default", library<bessel_i<1, false>>},
      {"bessel", "aten.special_i1e.default", library<bessel_i<1, true>>},
      {"bessel", "aten.special_modified_bessel_i0.default", library<bessel_i<0, false>>},
      {"bessel", "aten.special_modified_bessel_i1.default", library<bessel_i<1, false>>},
      {"bessel", "aten.special_modified_bessel_k0.default", library<bessel_k_of<0, false>>, Domain::Positive},
      {"bessel", "aten.special_modified_bessel_k1.default", library<bessel_k_of<1, false>>, Domain::Positive},
      {"bessel", "aten.special_scaled_modified_bessel_k0.default", library<bessel_k_of<0, true>>, Domain::Positive},
      {"bessel", "aten.special_scaled_modified_bessel_k1.default", library<bessel_k_of<1, true>>, Domain::Positive},
      {"bessel", "aten.special_bessel_j0.default", bessel_j0},
      {"bessel", "aten.special_bessel_j1.default", bessel_j1},
      {"bessel", "aten.special_bessel_y0.default", library<y0_of>, Domain::Positive},
      {"bessel", "aten.special_bessel_y1.default", library<y1_of>, Domain::Positive},
      {"bessel", "aten.special_spherical_bessel_j0.default", spherical_bessel},
      {"bessel", "aten.special_airy_ai.default", library<airy_ai>, Domain::Positive},
  };
}

}  // namespace parallax
