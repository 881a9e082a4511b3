// Functions of one floating operand.
#include <array>
#include <numbers>

#include "backends/portable/element_loops.h"

namespace parallax::portable {
namespace {

#define PARALLAX_FUNCTION(Name, expression) \
  struct Name {                             \
    template <class C>                      \
    C operator()(C x) const {               \
      return expression;                    \
    }                                       \
  }
PARALLAX_FUNCTION(PowerOfTwo, std::exp2(x));
PARALLAX_FUNCTION(BinaryLogarithm, std::log2(x));
PARALLAX_FUNCTION(DecimalLogarithm, std::log10(x));
PARALLAX_FUNCTION(Tangent, std::tan(x));
PARALLAX_FUNCTION(ArcSine, std::asin(x));
PARALLAX_FUNCTION(ArcTangent, std::atan(x));
PARALLAX_FUNCTION(HyperbolicSine, std::sinh(x));
PARALLAX_FUNCTION(HyperbolicCosine, std::cosh(x));
PARALLAX_FUNCTION(HyperbolicArcSine, std::asinh(x));
PARALLAX_FUNCTION(HyperbolicArcTangent, std::atanh(x));
PARALLAX_FUNCTION(ComplementaryErrorFunction, std::erfc(x));
PARALLAX_FUNCTION(Radians, x* static_cast<C>(std::numbers::pi / 180));
PARALLAX_FUNCTION(Degrees, x* static_cast<C>(180 / std::numbers::pi));
PARALLAX_FUNCTION(Fraction, x - std::trunc(x));
#undef PARALLAX_FUNCTION

struct CardinalSine {
  template <class C>
  C operator()(C x) const {
    const C angle = std::numbers::pi_v<C> * x;
    return x == C(0) ? C(1) : std::sin(angle) / angle;
  }
};

// f(x, number); without one the number is NaN.
template <class F, arg name>
Result<void> with_number(const KernelCall& call) {
  const DType dtype = call.output().dtype;
  with_float_type(dtype, [&]<class C>(std::type_identity<C>) {
    const C number = call.has(name) ? call.number<C>(name) : std::numeric_limits<C>::quiet_NaN();
    Numbers<C> values = call.operand<C>(arg::self, dtype);
    for (C& x : values) x = F()(x, number);
    call.write(values);
  });
  return {};
}

// log(x / (1 - x)), of x brought eps away from 0 and 1 where there is one.
struct Logit {
  template <class C>
  C operator()(C x, C eps) const {
    const C within = x < eps ? eps : x > C(1) - eps ? C(1) - eps : x;
    return std::log(within / (C(1) - within));
  }
};

// NaN stays.
struct SoftShrink {
  template <class C>
  C operator()(C x, C by) const {
    return x > by ? x - by : x < -by ? x + by : x * C(0);
  }
};

constexpr std::array function_table = {
    KernelEntry{"aten.exp2.default", float_elementwise<PowerOfTwo>, Overwrites::Elements},
    KernelEntry{"aten.log2.default", float_elementwise<BinaryLogarithm>, Overwrites::Elements},
    KernelEntry{"aten.log10.default", float_elementwise<DecimalLogarithm>, Overwrites::Elements},
    KernelEntry{"aten.tan.default", float_elementwise<Tangent>, Overwrites::Elements},
    KernelEntry{"aten.asin.default", float_elementwise<ArcSine>, Overwrites::Elements},
    KernelEntry{"aten.atan.default", float_elementwise<ArcTangent>, Overwrites::Elements},
    KernelEntry{"aten.sinh.default", float_elementwise<HyperbolicSine>, Overwrites::Elements},
    KernelEntry{"aten.cosh.default", float_elementwise<HyperbolicCosine>, Overwrites::Elements},
    KernelEntry{"aten.asinh.default", float_elementwise<HyperbolicArcSine>, Overwrites::Elements},
    KernelEntry{"aten.atanh.default", float_elementwise<HyperbolicArcTangent>, Overwrites::Elements},
    KernelEntry{"aten.erfc.default", float_elementwise<ComplementaryErrorFunction>, Overwrites::Elements},
    KernelEntry{"aten.deg2rad.default", float_elementwise<Radians>, Overwrites::Elements},
    KernelEntry{"aten.rad2deg.default", float_elementwise<Degrees>, Overwrites::Elements},
    KernelEntry{"aten.frac.default", float_elementwise<Fraction>, Overwrites::Elements},
    KernelEntry{"aten.sinc.default", float_elementwise<CardinalSine>, Overwrites::Elements},
    KernelEntry{"aten.logit.default", with_number<Logit, arg::eps>, Overwrites::Elements},
    KernelEntry{"aten.softshrink.default", with_number<SoftShrink, arg::lambd>, Overwrites::Elements},
};

}  // namespace

std::span<const KernelEntry> function_kernels() { return function_table; }

}  // namespace parallax::portable
