// The gamma function's logarithm and its derivatives, Hurwitz's zeta, and what belongs to the normal distribution.
// Formulas of NIST's Digital Library of Mathematical Functions (DLMF).
#include <array>
#include <limits>
#include <numbers>

#include "backends/portable/wide.h"

namespace parallax::portable {
namespace {

template <class W>
constexpr W infinity = std::numeric_limits<W>::infinity();
template <class W>
constexpr W nan = std::numeric_limits<W>::quiet_NaN();
template <class W>
constexpr W pi = std::numbers::pi_v<W>;

// B(2j), j from 1 on.
template <class W>
constexpr std::array bernoulli = {W(1) / 6,       W(-1) / 30,       W(1) / 42,       W(-1) / 30,
                                  W(5) / 66,      W(-691) / 2730,   W(7) / 6,        W(-3617) / 510,
                                  W(43867) / 798, W(-174611) / 330, W(854513) / 138, W(-236364091) / 2730};

struct LogGamma {
  template <class W>
  W operator()(W x) const {
    return std::lgamma(x);
  }
};

// DLMF 5.11.2, where x was raised by 5.5.2; 5.5.4 mirrors what is negative.
struct Digamma {
  template <class W>
  W operator()(W x) const {
    if (x == 0) return std::copysign(infinity<W>, -x);
    if (x < 0) {
      if (x == std::trunc(x)) return nan<W>;
      const W rest = x - std::nearbyint(x);
      return (*this)(1 - x) - pi<W> / std::tan(pi<W> * rest);
    }
    W raised(0);
    for (; x < 20; x += 1) raised += 1 / x;
    W series(0);
    const W square = x * x;
    W power = square;
    for (std::size_t j = 0; j < bernoulli<W>.size(); ++j, power *= square) {
      series += bernoulli<W>[j] / (static_cast<W>(2 * j + 2) * power);
    }
    return std::log(x) - 1 / (2 * x) - series - raised;
  }
};

// Below this terms are not added one by one.
template <class W>
constexpr W far_left = -1000;

// The sum of (q + k)^-s, by Euler and Maclaurin's formula (DLMF 25.11.28) from a term on that is large enough.
struct Zeta {
  template <class W>
  W operator()(W s, W q) const {
    constexpr int most_terms = 1 << 20;
    if (s == 1) return infinity<W>;
    if (!(s > 1) || q != q) return nan<W>;
    if (std::isinf(q) && q > 0) return W(0);
    if (q <= 0) {
      if (q == std::floor(q)) return infinity<W>;
      if (s != std::floor(s)) return nan<W>;
    }
    if (q < far_left<W>) {
      // The terms below 0 are those of the mirrored fraction: a difference of two tails.
      const W fraction = q - std::floor(q);
      const W mirrored = (*this)(s, 1 - fraction) - (*this)(s, 1 - q);
      return (*this)(s, fraction) + (std::fmod(s, W(2)) == 0 ? mirrored : -mirrored);
    }
    W sum(0);
    for (int k = 0; k < most_terms && (q < 20 || q < s); ++k, q += 1) {
      const W term = std::pow(q, -s);
      sum += term;
      if (std::fabs(term) <= std::numeric_limits<W>::epsilon() / 16 * std::fabs(sum) && q > 1) return sum;
    }
    const W power = std::pow(q, -s);
    sum += power * q / (s - 1) + power / 2;
    W factor = s * power / q / 2;
    for (std::size_t j = 0; j < bernoulli<W>.size(); ++j) {
      sum += factor * bernoulli<W>[j];
      const auto next = static_cast<W>(2 * j + 2);
      factor *= (s + next - 1) * (s + next) / ((next + 1) * (next + 2) * q * q);
    }
    return sum;
  }
};

// DLMF 5.15.1 by zeta.
Result<void> polygamma(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  const int64_t order = call.integer(arg::n);
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    using W = Wider<C>;
    Numbers<C> values = call.operand<C>(arg::self, dtype);
    for (C& element : values) {
      const auto x = static_cast<W>(element);
      if (order == 0) {
        element = static_cast<C>(Digamma()(x));
        continue;
      }
      // At a pole eager has what the sine of a rounded multiple of pi gives.
      if (order == 1 && element <= C(0) && element == std::floor(element)) {
        const C mirrored = pi<C> / std::sin(pi<C> * element);
        element = mirrored * mirrored;
        continue;
      }
      const auto s = static_cast<W>(order + 1);
      const W magnitude = std::tgamma(s) * Zeta()(s, x);
      element = static_cast<C>(order % 2 == 0 ? -magnitude : magnitude);
    }
    call.write(values);
  });
  return {};
}

// x of the normal distribution with that share below it, for shares up to one half. Newton's method in the relative
// error from a start of Abramowitz and Stegun (26.2.23).
template <class W>
W lower_quantile(W share) {
  const W t = std::sqrt(-2 * std::log(share));
  W x = (W(2.515517L) + t * (W(0.802853L) + t * W(0.010328L))) /
            (1 + t * (W(1.432788L) + t * (W(0.189269L) + t * W(0.001308L)))) -
        t;
  for (int step = 0; step < 4; ++step) {
    const W reached = std::erfc(-x / std::numbers::sqrt2_v<W>) / 2;
    const W density = std::exp(-x * x / 2) / std::sqrt(2 * pi<W>);
    const W error = (reached - share) / density;
    x -= error / (1 + x * error / 2);
  }
  return x;
}

struct NormalShare {
  template <class W>
  W operator()(W x) const {
    return std::erfc(-x / std::numbers::sqrt2_v<W>) / 2;
  }
};

// The inverse of erf up to one half, where the quantile would cancel.
template <class W>
W central_inverse(W y) {
  const W slope = std::sqrt(pi<W>) / 2;
  W x = y * slope;
  for (int step = 0; step < 6; ++step) x -= (std::erf(x) - y) * slope * std::exp(x * x);
  return x;
}

struct NormalQuantile {
  template <class W>
  W operator()(W share) const {
    if (!(share >= 0 && share <= 1)) return nan<W>;
    if (share == 0 || share == 1) return share == 0 ? -infinity<W> : infinity<W>;
    if (std::fabs(2 * share - 1) <= W(0.5)) return std::numbers::sqrt2_v<W> * central_inverse(2 * share - 1);
    return share < W(0.5) ? lower_quantile(share) : -lower_quantile(1 - share);
  }
};

struct InverseErrorFunction {
  template <class W>
  W operator()(W y) const {
    if (!(std::fabs(y) <= 1)) return nan<W>;
    if (std::fabs(y) == 1) return std::copysign(infinity<W>, y);
    if (std::fabs(y) <= W(0.5)) return central_inverse(y);
    return std::copysign(-lower_quantile((1 - std::fabs(y)) / 2) / std::numbers::sqrt2_v<W>, y);
  }
};

// e^(x^2) erfc(x), by its continued fraction (DLMF 7.9.1) where erfc is small.
struct ScaledErfc {
  template <class W>
  W operator()(W x) const {
    if (x < 8) return std::exp(x * x) * std::erfc(x);
    W rest = x;
    for (int k = 120; k > 0; --k) rest = x + W(k) / 2 / rest;
    return 1 / (rest * std::sqrt(pi<W>));
  }
};

struct Entropy {
  template <class W>
  W operator()(W x) const {
    if (x > 0) return -x * std::log(x);
    return x == 0 ? W(0) : x < 0 ? -infinity<W> : x;
  }
};

constexpr std::array gamma_table = {
    KernelEntry{"aten.lgamma.default", wide_elementwise<LogGamma>, Overwrites::Elements},
    KernelEntry{"aten.digamma.default", wide_elementwise<Digamma>, Overwrites::Elements},
    KernelEntry{"aten.polygamma.default", polygamma, Overwrites::Elements},
    KernelEntry{"aten.special_zeta.default", wide_binary<Zeta>, Overwrites::Elements},
    KernelEntry{"aten.special_zeta.self_scalar", wide_binary<Zeta>, Overwrites::Elements},
    KernelEntry{"aten.special_zeta.other_scalar", wide_binary<Zeta>, Overwrites::Elements},
    KernelEntry{"aten.special_ndtr.default", wide_elementwise<NormalShare>, Overwrites::Elements},
    KernelEntry{"aten.special_ndtri.default", wide_elementwise<NormalQuantile>, Overwrites::Elements},
    KernelEntry{"aten.erfinv.default", wide_elementwise<InverseErrorFunction>, Overwrites::Elements},
    KernelEntry{"aten.special_erfcx.default", wide_elementwise<ScaledErfc>, Overwrites::Elements},
    KernelEntry{"aten.special_entr.default", wide_elementwise<Entropy>, Overwrites::Elements},
};

}  // namespace

std::span<const KernelEntry> gamma_kernels() { return gamma_table; }

}  // namespace parallax::portable
