// Bessel functions and Airy's. Those of the first and second kind are the C library's; the modified ones are a series,
// an integral and, far out, an asymptotic series, of NIST's Digital Library of Mathematical Functions (DLMF).
#include <math.h>  // j0 and its kin are POSIX's, not the language's

#include <array>
#include <limits>
#include <numbers>

#include "backends/portable/airy.h"
#include "backends/portable/wide.h"

namespace parallax::portable {
namespace {

template <class W>
constexpr W infinity = std::numeric_limits<W>::infinity();

// From here on the asymptotic series are exact to the last bit of a long double.
constexpr int far_out = 40;

// The sum of DLMF 10.40.1 and 10.40.2 for an order: with alternating signs that of I, else that of K.
template <class W>
W asymptotic_sum(int order, W x, bool alternates) {
  const W square = static_cast<W>(4 * order * order);
  W term(1);
  W sum(1);
  for (int k = 1; k < 2 * far_out; ++k) {
    const auto odd = static_cast<W>(2 * k - 1);
    const W next = term * (square - odd * odd) / (static_cast<W>(8 * k) * x) * (alternates ? -1 : 1);
    if (std::fabs(next) >= std::fabs(term)) break;
    term = next;
    sum += term;
  }
  return sum;
}

// e^-|x| I(x) (DLMF 10.25.2).
template <int order>
struct ScaledI {
  template <class W>
  W operator()(W x) const {
    const W size = std::fabs(x);
    W value(0);
    if (size > far_out) {
      value = std::isinf(size) ? W(0) : asymptotic_sum(order, size, true) / std::sqrt(2 * std::numbers::pi_v<W> * size);
    } else {
      const W square = size * size / 4;
      W term = order == 0 ? W(1) : size / 2;
      for (int k = 1; term > 0 && k < 4 * far_out; ++k) {
        value += term;
        term *= square / (W(k) * W(k + order));
      }
      value *= std::exp(-size);
    }
    if (x != x) return x;
    return order == 1 && x < 0 ? -value : value;
  }
};

template <int order>
struct ModifiedI {
  template <class W>
  W operator()(W x) const {
    if (std::isinf(x)) return order == 1 ? x : infinity<W>;
    // In two factors, since the exponential alone may overflow before the product does.
    const W root = std::exp(std::fabs(x) / 2);
    return ScaledI<order>()(x) * root * root;
  }
};

// e^x K(x): the integral of e^(-x (cosh t - 1)) cosh(order t) from 0 on (DLMF 10.32.9) by the trapezoidal rule, whose
// error falls exponentially with the step.
template <int order>
struct ScaledK {
  template <class W>
  W operator()(W x) const {
    if (!(x > 0)) return x == 0 ? infinity<W> : std::numeric_limits<W>::quiet_NaN();
    if (x > far_out) return asymptotic_sum(order, x, false) * std::sqrt(std::numbers::pi_v<W> / (2 * x));
    constexpr W step(0.0625);
    W sum(0.5);
    for (int k = 1;; ++k) {
      const W t = W(k) * step;
      const W half = std::sinh(t / 2);
      const W term = std::exp(-2 * x * half * half) * (order == 0 ? W(1) : std::cosh(t));
      sum += term;
      if (term < std::numeric_limits<W>::epsilon() / 16 * sum && x * half * half > 1) return sum * step;
    }
  }
};

template <int order>
struct ModifiedK {
  template <class W>
  W operator()(W x) const {
    return ScaledK<order>()(x) * std::exp(-x);
  }
};

struct J0 {
  double operator()(double x) const { return std::isinf(x) ? 0 : ::j0(x); }
  long double operator()(long double x) const { return std::isinf(x) ? 0 : ::j0l(x); }
};
struct J1 {
  double operator()(double x) const { return std::isinf(x) ? 0 : ::j1(x); }
  long double operator()(long double x) const { return std::isinf(x) ? 0 : ::j1l(x); }
};
// Of a negative number there is none, and the pole is at 0.
struct Y0 {
  double operator()(double x) const { return x < 0 ? std::nan("") : x == 0 ? -infinity<double> : ::y0(x); }
  long double operator()(long double x) const {
    return x < 0 ? std::nanl("") : x == 0 ? -infinity<long double> : ::y0l(x);
  }
};
struct Y1 {
  double operator()(double x) const { return x < 0 ? std::nan("") : x == 0 ? -infinity<double> : ::y1(x); }
  long double operator()(long double x) const {
    return x < 0 ? std::nanl("") : x == 0 ? -infinity<long double> : ::y1l(x);
  }
};

struct SphericalJ0 {
  template <class W>
  W operator()(W x) const {
    if (x == 0) return W(1);
    return std::isinf(x) ? W(0) : std::sin(x) / x;
  }
};

constexpr std::array bessel_table = {
    KernelEntry{"aten.special_airy_ai.default", wide_elementwise<Airy>, Overwrites::Elements},
    KernelEntry{"aten.i0.default", wide_elementwise<ModifiedI<0>>, Overwrites::Elements},
    KernelEntry{"aten.special_i0e.default", wide_elementwise<ScaledI<0>>, Overwrites::Elements},
    KernelEntry{"aten.special_i1.default", wide_elementwise<ModifiedI<1>>, Overwrites::Elements},
    KernelEntry{"aten.special_i1e.default", wide_elementwise<ScaledI<1>>, Overwrites::Elements},
    KernelEntry{"aten.special_bessel_j0.default", wide_elementwise<J0>, Overwrites::Elements},
    KernelEntry{"aten.special_bessel_j1.default", wide_elementwise<J1>, Overwrites::Elements},
    KernelEntry{"aten.special_bessel_y0.default", wide_elementwise<Y0>, Overwrites::Elements},
    KernelEntry{"aten.special_bessel_y1.default", wide_elementwise<Y1>, Overwrites::Elements},
    KernelEntry{"aten.special_modified_bessel_i0.default", wide_elementwise<ModifiedI<0>>, Overwrites::Elements},
    KernelEntry{"aten.special_modified_bessel_i1.default", wide_elementwise<ModifiedI<1>>, Overwrites::Elements},
    KernelEntry{"aten.special_modified_bessel_k0.default", wide_elementwise<ModifiedK<0>>, Overwrites::Elements},
    KernelEntry{"aten.special_modified_bessel_k1.default", wide_elementwise<ModifiedK<1>>, Overwrites::Elements},
    KernelEntry{"aten.special_scaled_modified_bessel_k0.default", wide_elementwise<ScaledK<0>>, Overwrites::Elements},
    KernelEntry{"aten.special_scaled_modified_bessel_k1.default", wide_elementwise<ScaledK<1>>, Overwrites::Elements},
    KernelEntry{"aten.special_spherical_bessel_j0.default", wide_elementwise<SphericalJ0>, Overwrites::Elements},
};

}  // namespace

std::span<const KernelEntry> bessel_kernels() { return bessel_table; }

}  // namespace parallax::portable
