// Orthogonal polynomials by their three-term recurrences, and Chebyshev's of high degrees within [-1, 1] by the angle
// whose cosine the operand is. The degree is cut to an integer; there is no polynomial of a negative one, which gives
// 0.
#include <array>
#include <limits>

#include "backends/portable/wide.h"

namespace parallax::portable {
namespace {

// A step a degree: above this one the result is NaN, where eager would take minutes. The oracle, which judges none of
// that, stops at half of it.
constexpr int64_t most_steps = int64_t{1} << 21;

// P(0) = 1, P(1) = first, P(k + 1) = next(k, P(k), P(k - 1)).
template <class W, class Next>
W recurred(int64_t degree, W first, Next&& next) {
  if (degree == 0) return W(1);
  if (degree > most_steps) return std::numeric_limits<W>::quiet_NaN();
  W before(1);
  W value = first;
  for (int64_t k = 1; k < degree && value == value; ++k) {
    const W after = next(static_cast<W>(k), value, before);
    before = value;
    value = after;
  }
  return value;
}

enum class Kind : uint8_t { T, U, V, W };

// Up to this degree the recurrence is the more accurate, and exact at 0.
constexpr int64_t most_recurred_degree = 64;

// U, V and W begin with 2x, 2x - 1 and 2x + 1, T with x.
template <Kind kind>
struct Chebyshev {
  template <class R>
  R operator()(R x, R degree_number) const {
    const auto n = convert<int64_t>(degree_number);
    if (n < 0) return R(0);
    const auto degree = static_cast<R>(n);
    const R sign(n % 2 == 0 ? 1 : -1);
    if (x == 1) return kind == Kind::T || kind == Kind::V ? R(1) : kind == Kind::U ? degree + 1 : 2 * degree + 1;
    if (x == -1)
      return sign * (kind == Kind::T || kind == Kind::W ? R(1) : kind == Kind::U ? degree + 1 : 2 * degree + 1);
    if (std::fabs(x) < 1 && n > most_recurred_degree) {
      const R angle = std::acos(x);
      if (kind == Kind::T) return std::cos(degree * angle);
      if (kind == Kind::U) return std::sin((degree + 1) * angle) / std::sin(angle);
      if (kind == Kind::V) return std::cos((degree + R(0.5)) * angle) / std::cos(angle / 2);
      return std::sin((degree + R(0.5)) * angle) / std::sin(angle / 2);
    }
    const R first = kind == Kind::T ? x : 2 * x + (kind == Kind::V ? -1 : kind == Kind::W ? 1 : 0);
    return recurred(n, first, [&](R, R value, R before) { return 2 * x * value - before; });
  }
};

// On [0, 1].
template <Kind kind>
struct ShiftedChebyshev {
  template <class R>
  R operator()(R x, R degree) const {
    return Chebyshev<kind>()(2 * x - 1, degree);
  }
};

// Eager gives none above a degree, by the dtype.
template <class R>
constexpr int64_t most_hermite_degree = std::is_same_v<R, double> ? 128 : 512;

struct HermiteH {
  template <class R>
  R operator()(R x, R degree) const {
    const auto n = convert<int64_t>(degree);
    if (n < 0) return R(0);
    if (n > most_hermite_degree<R>) return std::numeric_limits<R>::quiet_NaN();
    return recurred(n, 2 * x, [&](R k, R value, R before) { return 2 * (x * value - k * before); });
  }
};
struct HermiteHe {
  template <class R>
  R operator()(R x, R degree) const {
    const auto n = convert<int64_t>(degree);
    if (n < 0) return R(0);
    if (n > most_hermite_degree<R>) return std::numeric_limits<R>::quiet_NaN();
    return recurred(n, x, [&](R k, R value, R before) { return x * value - k * before; });
  }
};
struct Laguerre {
  template <class R>
  R operator()(R x, R degree) const {
    const auto n = convert<int64_t>(degree);
    if (n < 0) return R(0);
    if (x == 0) return R(1);
    return recurred(n, 1 - x, [&](R k, R value, R before) { return ((2 * k + 1 - x) * value - k * before) / (k + 1); });
  }
};
struct Legendre {
  template <class R>
  R operator()(R x, R degree) const {
    const auto n = convert<int64_t>(degree);
    if (n < 0) return R(0);
    if (std::fabs(x) == 1) return x > 0 || n % 2 == 0 ? R(1) : R(-1);
    return recurred(n, x, [&](R k, R value, R before) { return ((2 * k + 1) * x * value - k * before) / (k + 1); });
  }
};

#define PARALLAX_POLYNOMIAL(name, Polynomial)                                                                     \
  KernelEntry{"aten.special_" name ".default", wide_binary<Polynomial>, Overwrites::Elements},                    \
      KernelEntry{"aten.special_" name ".x_scalar", wide_binary<Polynomial>, Overwrites::Elements}, KernelEntry { \
    "aten.special_" name ".n_scalar", wide_binary<Polynomial>, Overwrites::Elements                               \
  }

constexpr std::array polynomial_table = {
    PARALLAX_POLYNOMIAL("chebyshev_polynomial_t", Chebyshev<Kind::T>),
    PARALLAX_POLYNOMIAL("chebyshev_polynomial_u", Chebyshev<Kind::U>),
    PARALLAX_POLYNOMIAL("chebyshev_polynomial_v", Chebyshev<Kind::V>),
    PARALLAX_POLYNOMIAL("chebyshev_polynomial_w", Chebyshev<Kind::W>),
    PARALLAX_POLYNOMIAL("shifted_chebyshev_polynomial_t", ShiftedChebyshev<Kind::T>),
    PARALLAX_POLYNOMIAL("shifted_chebyshev_polynomial_u", ShiftedChebyshev<Kind::U>),
    PARALLAX_POLYNOMIAL("shifted_chebyshev_polynomial_v", ShiftedChebyshev<Kind::V>),
    PARALLAX_POLYNOMIAL("shifted_chebyshev_polynomial_w", ShiftedChebyshev<Kind::W>),
    PARALLAX_POLYNOMIAL("hermite_polynomial_h", HermiteH),
    PARALLAX_POLYNOMIAL("hermite_polynomial_he", HermiteHe),
    PARALLAX_POLYNOMIAL("laguerre_polynomial_l", Laguerre),
    PARALLAX_POLYNOMIAL("legendre_polynomial_p", Legendre),
};
#undef PARALLAX_POLYNOMIAL

}  // namespace

std::span<const KernelEntry> polynomial_kernels() { return polynomial_table; }

}  // namespace parallax::portable
