// The orthogonal polynomials, by their recurrences and, Chebyshev's, as cosines and sines.
#include <cmath>

#include "tests/soundness/plain_call.h"

namespace parallax {
namespace {

// p[0] = 1, p[1], and p[k + 1] by `step(k, p[k], p[k - 1])`, up to the degree cut to an integer; 0 below.
template <class Step>
double by_recurrence(double degree, double first, Step step) {
  const auto n = static_cast<int>(degree);
  if (degree < 0 && n < 0) return 0;
  double before = 1;
  double last = n == 0 ? 1 : first;
  for (int k = 1; k < n; ++k) before = std::exchange(last, step(k, last, before));
  return last;
}

enum Kind { T, U, V, W };

// The formula over the angle, which eager takes of a high degree inside of (-1, 1).
template <Kind kind>
double of_angle(const Perturbed& p, double x, double degree) {
  const auto sine = [&](double y) { return p.fn([](auto z) { return std::sin(z); }, y); };
  const auto cosine = [&](double y) { return p.fn([](auto z) { return std::cos(z); }, y); };
  const double angle = p.fn([](auto y) { return std::acos(y); }, x);
  switch (kind) {
    case T:
      return cosine(p.mul(degree, angle));
    case U:
      return p.div(sine(p.mul(degree + 1, angle)), sine(angle));
    case V:
      return p.div(cosine(p.mul(degree + 0.5, angle)), cosine(angle / 2));
    case W:
      return p.div(sine(p.mul(degree + 0.5, angle)), sine(angle / 2));
  }
  return 0;
}

template <Kind kind>
double chebyshev(Perturbed& p, const PlainCall&, double x, double degree) {
  const double n = std::trunc(degree);
  if (p.other_form() && n > 8 && std::fabs(x) < 1) return of_angle<kind>(p, x, n);
  const double twice = 2 * x;
  const double first = kind == T ? x : kind == U ? twice : kind == V ? p.sub(twice, 1) : p.add(twice, 1);
  return by_recurrence(degree, first, [&](int, double last, double before) { return p.fma(twice, last, -before); });
}

template <Kind kind>
double shifted(Perturbed& p, const PlainCall& call, double x, double degree) {
  return chebyshev<kind>(p, call, p.sub(2 * x, 1), degree);
}

// The physicists' (2) and the probabilists' (1).
template <int factor>
double hermite(Perturbed& p, const PlainCall&, double x, double degree) {
  return by_recurrence(degree, factor * x, [&](int k, double last, double before) {
    return p.fma(factor * x, last, -p.mul(factor * k, before));
  });
}

double laguerre(Perturbed& p, const PlainCall&, double x, double degree) {
  return by_recurrence(degree, p.sub(1, x), [&](int k, double last, double before) {
    return p.div(p.fma(p.sub(2 * k + 1, x), last, -p.mul(k, before)), k + 1);
  });
}

double legendre(Perturbed& p, const PlainCall&, double x, double degree) {
  return by_recurrence(degree, x, [&](int k, double last, double before) {
    return p.div(p.fma(p.mul(2 * k + 1, x), last, -p.mul(k, before)), k + 1);
  });
}

}  // namespace

// The point, the degree or neither is a number.
std::vector<PlainOp> plain_polynomial_ops() {
  return {
      {"polynomial", "aten.special_chebyshev_polynomial_t.default", chebyshev<T>},
      {"polynomial", "aten.special_chebyshev_polynomial_t.x_scalar", chebyshev<T>},
      {"polynomial", "aten.special_chebyshev_polynomial_t.n_scalar", chebyshev<T>},
      {"polynomial", "aten.special_chebyshev_polynomial_u.default", chebyshev<U>},
      {"polynomial", "aten.special_chebyshev_polynomial_u.x_scalar", chebyshev<U>},
      {"polynomial", "aten.special_chebyshev_polynomial_u.n_scalar", chebyshev<U>},
      {"polynomial", "aten.special_chebyshev_polynomial_v.default", chebyshev<V>},
      {"polynomial", "aten.special_chebyshev_polynomial_v.x_scalar", chebyshev<V>},
      {"polynomial", "aten.special_chebyshev_polynomial_v.n_scalar", chebyshev<V>},
      {"polynomial", "aten.special_chebyshev_polynomial_w.default", chebyshev<W>},
      {"polynomial", "aten.special_chebyshev_polynomial_w.x_scalar", chebyshev<W>},
      {"polynomial", "aten.special_chebyshev_polynomial_w.n_scalar", chebyshev<W>},
      {"polynomial", "aten.special_shifted_chebyshev_polynomial_t.default", shifted<T>},
      {"polynomial", "aten.special_shifted_chebyshev_polynomial_t.x_scalar", shifted<T>},
      {"polynomial", "aten.special_shifted_chebyshev_polynomial_t.n_scalar", shifted<T>},
      {"polynomial", "aten.special_shifted_chebyshev_polynomial_u.default", shifted<U>},
      {"polynomial", "aten.special_shifted_chebyshev_polynomial_u.x_scalar", shifted<U>},
      {"polynomial", "aten.special_shifted_chebyshev_polynomial_u.n_scalar", shifted<U>},
      {"polynomial", "aten.special_shifted_chebyshev_polynomial_v.default", shifted<V>},
      {"polynomial", "aten.special_shifted_chebyshev_polynomial_v.x_scalar", shifted<V>},
      {"polynomial", "aten.special_shifted_chebyshev_polynomial_v.n_scalar", shifted<V>},
      {"polynomial", "aten.special_shifted_chebyshev_polynomial_w.default", shifted<W>},
      {"polynomial", "aten.special_shifted_chebyshev_polynomial_w.x_scalar", shifted<W>},
      {"polynomial", "aten.special_shifted_chebyshev_polynomial_w.n_scalar", shifted<W>},
      {"polynomial", "aten.special_hermite_polynomial_h.default", hermite<2>},
      {"polynomial", "aten.special_hermite_polynomial_h.x_scalar", hermite<2>},
      {"polynomial", "aten.special_hermite_polynomial_h.n_scalar", hermite<2>},
      {"polynomial", "aten.special_hermite_polynomial_he.default", hermite<1>},
      {"polynomial", "aten.special_hermite_polynomial_he.x_scalar", hermite<1>},
      {"polynomial", "aten.special_hermite_polynomial_he.n_scalar", hermite<1>},
      {"polynomial", "aten.special_laguerre_polynomial_l.default", laguerre},
      {"polynomial", "aten.special_laguerre_polynomial_l.x_scalar", laguerre},
      {"polynomial", "aten.special_laguerre_polynomial_l.n_scalar", laguerre},
      {"polynomial", "aten.special_legendre_polynomial_p.default", legendre},
      {"polynomial", "aten.special_legendre_polynomial_p.x_scalar", legendre},
      {"polynomial", "aten.special_legendre_polynomial_p.n_scalar", legendre},
  };
}

}  // namespace parallax
