// One operand, element by element.
#include <algorithm>
#include <array>

#include "backends/portable/element_loops.h"

namespace parallax::portable {
namespace {

struct Negate {
  template <class C>
  C operator()(C x) const {
    return negate(x);
  }
};
struct Absolute {
  template <class C>
  C operator()(C x) const {
    if constexpr (std::is_integral_v<C>) {
      return x < 0 ? negate(x) : x;
    } else {
      return std::fabs(x);
    }
  }
};
struct Relu {
  template <class C>
  C operator()(C x) const {
    return x < C(0) ? C(0) : x;  // NaN stays
  }
};
struct Sigmoid {
  template <class C>
  C operator()(C x) const {
    return C(1) / (C(1) + std::exp(-x));
  }
};

#define PARALLAX_FUNCTION(Name, function) \
  struct Name {                           \
    template <class C>                    \
    C operator()(C x) const {             \
      return function(x);                 \
    }                                     \
  }
PARALLAX_FUNCTION(ArcCosine, std::acos);
PARALLAX_FUNCTION(HyperbolicArcCosine, std::acosh);
PARALLAX_FUNCTION(Sine, std::sin);
PARALLAX_FUNCTION(Cosine, std::cos);
PARALLAX_FUNCTION(Exponential, std::exp);
PARALLAX_FUNCTION(ExponentialLessOne, std::expm1);
PARALLAX_FUNCTION(Logarithm, std::log);
PARALLAX_FUNCTION(LogarithmOfOneMore, std::log1p);
PARALLAX_FUNCTION(ErrorFunction, std::erf);
PARALLAX_FUNCTION(SquareRoot, std::sqrt);
PARALLAX_FUNCTION(HyperbolicTangent, std::tanh);
#undef PARALLAX_FUNCTION

// NaN goes through, also of a bound; where min > max, max wins.
template <class C>
C clamped(C x, const std::optional<C>& low, const std::optional<C>& high) {
  if (x != x) return x;
  if (low) x = !(x >= *low) ? *low : x;
  if (high && x == x) x = !(x <= *high) ? *high : x;
  return x;
}

Result<void> clamp(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  with_compute_type(dtype, [&]<class C>(std::type_identity<C>) {
    const auto bound = [&](arg name) {
      return call.has(name) ? std::optional(call.number<C>(name, dtype)) : std::nullopt;
    };
    const std::optional<C> low = bound(arg::min);
    const std::optional<C> high = bound(arg::max);
    Numbers<C> values = call.operand<C>(arg::self, dtype);
    for (C& x : values) x = clamped(x, low, high);
    call.write(values);
  });
  return {};
}

constexpr std::array unary_table = {
    KernelEntry{"aten.neg.default", elementwise<Negate>, Overwrites::Elements},
    KernelEntry{"aten.abs.default", elementwise<Absolute>, Overwrites::Elements},
    KernelEntry{"aten.relu.default", elementwise<Relu>, Overwrites::Elements},
    KernelEntry{"aten.clamp.default", clamp, Overwrites::Elements},
    KernelEntry{"aten.sigmoid.default", float_elementwise<Sigmoid>, Overwrites::Elements},
    KernelEntry{"aten.acos.default", float_elementwise<ArcCosine>, Overwrites::Elements},
    KernelEntry{"aten.acosh.default", float_elementwise<HyperbolicArcCosine>, Overwrites::Elements},
    KernelEntry{"aten.sin.default", float_elementwise<Sine>, Overwrites::Elements},
    KernelEntry{"aten.cos.default", float_elementwise<Cosine>, Overwrites::Elements},
    KernelEntry{"aten.exp.default", float_elementwise<Exponential>, Overwrites::Elements},
    KernelEntry{"aten.expm1.default", float_elementwise<ExponentialLessOne>, Overwrites::Elements},
    KernelEntry{"aten.log.default", float_elementwise<Logarithm>, Overwrites::Elements},
    KernelEntry{"aten.log1p.default", float_elementwise<LogarithmOfOneMore>, Overwrites::Elements},
    KernelEntry{"aten.erf.default", float_elementwise<ErrorFunction>, Overwrites::Elements},
    KernelEntry{"aten.sqrt.default", float_elementwise<SquareRoot>, Overwrites::Elements},
    KernelEntry{"aten.tanh.default", float_elementwise<HyperbolicTangent>, Overwrites::Elements},
};

}  // namespace

std::span<const KernelEntry> unary_kernels() { return unary_table; }

}  // namespace parallax::portable
