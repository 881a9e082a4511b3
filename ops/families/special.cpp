// Special: the error functions, gamma's logarithm, Bessel functions and their kin, element by element.
#include "ops/ball_functions.h"
#include "ops/ball_special.h"
#include "ops/families.h"
#include "ops/unary_op.h"
#include "ops/wide_op.h"

namespace parallax {
namespace {

using Takes = UnaryFunction::Takes;

// Eager's vectorised erf of the halves is a polynomial good to 1.5e-7 times a rounded exponential: over all f16 and
// bf16 numbers it is at most 4.0e-7 off where that is over one unit.
constexpr UnaryFunction erf = {
    Takes::AsFloats, [](const BallMath& math, const Ball& x, const ReferenceCall& call) {
      const Ball result = ball_erf(math, x);
      return size_of(call.output().dtype) == 2 && !result.is_exact() ? widened(math, result, 5e-7) : result;
    }};
constexpr UnaryFunction erfc = {Takes::AsFloats, of_ball<ball_erfc>};
constexpr UnaryFunction erfinv = {Takes::AsFloats, of_ball<ball_erfinv>};
constexpr UnaryFunction ndtr = {.floating = of_ball<ball_ndtr>, .in_own_dtype = true};
constexpr UnaryFunction entr = {.floating = of_ball<ball_entr>, .in_own_dtype = true};
constexpr UnaryFunction lgamma = {Takes::AsFloats, of_ball<ball_lgamma>};
// An integer zero has no sign, and becomes +0.
constexpr UnaryFunction digamma = {Takes::AsFloats, [](const BallMath& math, const Ball& x, const ReferenceCall& call) {
                                     return ball_digamma(math, x, !call.input(arg::self).floating());
                                   }};
constexpr UnaryFunction i0 = {Takes::AsFloats, of_ball<ball_i0>};
constexpr UnaryFunction i0e = {.floating = of_ball<ball_i0e>, .in_own_dtype = true};
constexpr UnaryFunction i1 = {Takes::AsFloats, of_ball<ball_i1>};
constexpr UnaryFunction i1e = {Takes::AsFloats, of_ball<ball_i1e>};

}  // namespace

std::vector<OpDef> special_family() {
  return {
      unary_op<erf>("erf(Tensor self) -> Tensor"),
      unary_op<erfc>("erfc(Tensor self) -> Tensor"),
      wide_op<ball_erfcx>("special_erfcx(Tensor self) -> Tensor"),
      unary_op<erfinv>("erfinv(Tensor self) -> Tensor"),
      unary_op<ndtr>("special_ndtr(Tensor self) -> Tensor"),
      wide_op<ball_ndtri>("special_ndtri(Tensor self) -> Tensor"),
      unary_op<entr>("special_entr(Tensor self) -> Tensor"),
      unary_op<lgamma>("lgamma(Tensor self) -> Tensor"),
      unary_op<digamma>("digamma(Tensor self) -> Tensor"),
      unary_op<i0>("i0(Tensor self) -> Tensor"),
      unary_op<i0e>("special_i0e(Tensor self) -> Tensor"),
      unary_op<i1>("special_i1(Tensor self) -> Tensor"),
      unary_op<i1e>("special_i1e(Tensor self) -> Tensor"),

      unary_twin<erf>("erf_(Tensor(a!) self) -> Tensor(a!)", "aten.erf.default"),
      unary_twin<erfc>("erfc_(Tensor(a!) self) -> Tensor(a!)", "aten.erfc.default"),
      unary_twin<erfinv>("erfinv_(Tensor(a!) self) -> Tensor(a!)", "aten.erfinv.default"),
      unary_twin<lgamma>("lgamma_(Tensor(a!) self) -> Tensor(a!)", "aten.lgamma.default"),
      unary_twin<digamma>("digamma_(Tensor(a!) self) -> Tensor(a!)", "aten.digamma.default"),
      unary_twin<i0>("i0_(Tensor(a!) self) -> Tensor(a!)", "aten.i0.default"),
  };
}

}  // namespace parallax
