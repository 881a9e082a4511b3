#include "ops/special_values.h"

#include <cmath>
#include <numbers>

namespace parallax {
namespace {

using Real = long double;

constexpr Real pi = std::numbers::pi_v<Real>;
constexpr Real epsilon = 0x1p-66L;

// Abramowitz and Stegun 9.6.10: all terms are positive.
Real bessel_series(int order, Real x) {
  const Real quarter = x * x / 4;
  Real term = order == 0 ? 1 : x / 2;
  Real sum = term;
  for (int k = 1; term > sum * epsilon; ++k) {
    term *= quarter / (k * (k + order));
    sum += term;
  }
  return sum;
}

// The same, 9.7.1: where it is used, from 30 on, the terms fall below 2^-66 long before they grow again.
Real bessel_asymptotic(int order, Real x) {
  const int mu = 4 * order * order;
  Real term = 1;
  Real sum = 1;
  for (int k = 1; std::fabs(term) > epsilon && k < 40; ++k) {
    const int odd = 2 * k - 1;
    term *= -static_cast<Real>(mu - odd * odd) / (8 * k * x);
    sum += term;
  }
  return sum / std::sqrt(2 * pi * x);
}

// Newton's method for log of the distribution, which is concave: from a start on the left it only goes up.
Real lower_quantile(Real p) {
  const Real target = std::log(p);
  Real t = -std::sqrt(-2 * target);
  for (int i = 0; i < 60; ++i) {
    const Real distribution = std::erfc(-t / std::numbers::sqrt2_v<Real>) / 2;
    const Real density = std::exp(-t * t / 2) / std::sqrt(2 * pi);
    const Real step = (target - std::log(distribution)) * distribution / density;
    t += step;
    if (std::fabs(step) <= 0x1p-62L * std::fabs(t)) break;
  }
  return t;
}

}  // namespace

long double scaled_bessel_i(int order, long double x) {
  const Real magnitude = std::fabs(x);
  const Real value = magnitude < 30  ? bessel_series(order, magnitude) * std::exp(-magnitude)
                     : std::isinf(x) ? 0
                                     : bessel_asymptotic(order, magnitude);
  return order == 1 && x < 0 ? -value : value;
}

long double scaled_erfc(long double x) {
  if (x < 25) return std::exp(x * x) * std::erfc(x);
  // Abramowitz and Stegun 7.1.23.
  Real term = 1;
  Real sum = 1;
  for (int k = 1; std::fabs(term) > epsilon; ++k) {
    term *= -(2 * k - 1) / (2 * x * x);
    sum += term;
  }
  return sum / (x * std::sqrt(pi));
}

long double normal_quantile(long double p) {
  if (p > 0.25L && p < 0.75L) return std::numbers::sqrt2_v<Real> * inverse_erf(2 * p - 1);
  return p < 0.5L ? lower_quantile(p) : -lower_quantile(1 - p);
}

long double inverse_erf(long double x) {
  const Real magnitude = std::fabs(x);
  Real y;
  if (magnitude > 0.5L) {
    y = -lower_quantile((1 - magnitude) / 2) / std::numbers::sqrt2_v<Real>;
  } else {
    // erf is concave on the right, and lies under its tangent at 0.
    y = magnitude * std::sqrt(pi) / 2;
    for (int i = 0; i < 20; ++i) y += (magnitude - std::erf(y)) * std::sqrt(pi) / 2 * std::exp(y * y);
  }
  return std::copysign(y, x);
}

long double digamma(long double x) {
  if (x < 0) {
    // Abramowitz and Stegun 6.3.7; the remainder keeps the argument of tan small and exact.
    return digamma(1 - x) - pi / std::tan(pi * std::remainder(x, Real{1}));
  }
  Real sum = 0;
  while (x < 20) {
    sum -= 1 / x;
    x += 1;
  }
  // 6.3.18.
  const Real square = 1 / (x * x);
  constexpr Real bernoulli[] = {1.0L / 12,  -1.0L / 120,     1.0L / 252, -1.0L / 240,
                                1.0L / 132, -691.0L / 32760, 1.0L / 12,  -3617.0L / 8160};
  Real power = square;
  for (const Real coefficient : bernoulli) {
    sum -= coefficient * power;
    power *= square;
  }
  return sum + std::log(x) - 1 / (2 * x);
}

}  // namespace parallax
