// Airy's function Ai, the solution of y'' = x y that dies out. Formulas of NIST's Digital Library of Mathematical
// Functions (DLMF).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace parallax::portable {
namespace airy {

// Beyond this distance from 0 the asymptotic series hold to the last bit of a long double.
constexpr int far_out = 20;

// From Ai(0) by Taylor's series of steps that are at most one half (DLMF 3.7). Where Ai waves, that is to the left,
// errors do not grow.
template <class W>
W by_steps(W x) {
  auto value = static_cast<W>(0.355028053887817239260063186004183177L);
  auto slope = static_cast<W>(-0.258819403792806798405183560189203963L);
  W at(0);
  while (at != x) {
    const W h = std::max(x - at, W(-0.5));
    // y = sum of c[k] h^k, where (k + 2) (k + 1) c[k + 2] = at c[k] + c[k - 1].
    std::array<W, 48> c = {value, slope, at * value / 2};
    for (std::size_t k = 1; k + 2 < c.size(); ++k)
      c[k + 2] = (at * c[k] + c[k - 1]) / static_cast<W>((k + 2) * (k + 1));
    value = slope = W(0);
    for (std::size_t k = c.size(); k-- > 0;) {
      slope = slope * h + value;
      value = value * h + c[k];
    }
    at = h == x - at ? x : at + h;
  }
  return value;
}

// DLMF 9.6.2, with K as in 10.32.9 by the trapezoidal rule.
template <class W>
W by_integral(W x, W zeta) {
  constexpr W step(0.0625);
  W sum(0.5);
  for (int k = 1;; ++k) {
    const W t = W(k) * step;
    const W half = std::sinh(t / 2);
    const W term = std::exp(-2 * zeta * half * half) * std::cosh(t / 3);
    sum += term;
    if (term < std::numeric_limits<W>::epsilon() / 16 * sum) break;
  }
  return std::sqrt(x / 3) / std::numbers::pi_v<W> * sum * step * std::exp(-zeta);
}

// DLMF 9.7.5 and 9.7.9.
template <class W>
W by_asymptotes(W x, W zeta) {
  std::array<W, 4> sums{};  // by the term's number modulo 4
  W term(1);
  for (int k = 0; k < 60; ++k) {
    sums[static_cast<std::size_t>(k % 4)] += term;
    const auto six = static_cast<W>(6 * (k + 1));
    const W next = term * (six - 5) * (six - 3) * (six - 1) / (W(216) * W(k + 1) * W(2 * k + 1) * zeta);
    if (std::fabs(next) >= std::fabs(term)) break;
    term = next;
  }
  const W scale = 1 / (std::sqrt(std::numbers::pi_v<W>) * std::sqrt(std::sqrt(std::fabs(x))));
  if (x > 0) return scale / 2 * std::exp(-zeta) * (sums[0] - sums[1] + sums[2] - sums[3]);
  const W angle = zeta - std::numbers::pi_v<W> / 4;
  return scale * (std::cos(angle) * (sums[0] - sums[2]) + std::sin(angle) * (sums[1] - sums[3]));
}

}  // namespace airy

struct Airy {
  template <class W>
  W operator()(W x) const {
    if (!std::isfinite(x)) return std::numeric_limits<W>::quiet_NaN();
    const W size = std::fabs(x);
    const W zeta = size * std::sqrt(size) * 2 / 3;
    if (size > airy::far_out) return airy::by_asymptotes(x, zeta);
    return x > W(0.5) ? airy::by_integral(x, zeta) : airy::by_steps(x);
  }
};

}  // namespace parallax::portable
