// Trigonometric: the functions of angles and of the hyperbola, their inverses, and the units of angles.
#include <cmath>
#include <numbers>

#include "ops/ball_functions.h"
#include "ops/families.h"
#include "ops/unary_op.h"

namespace parallax {
namespace {

using Takes = UnaryFunction::Takes;

constexpr UnaryFunction sin = {.floating = of_ball<&BallMath::sin>,
                               .plain = [](double x, const ReferenceCall&) { return std::sin(x); }};
constexpr UnaryFunction cos = {.floating = of_ball<&BallMath::cos>,
                               .plain = [](double x, const ReferenceCall&) { return std::cos(x); }};
constexpr UnaryFunction tan = {Takes::AsFloats, of_ball<ball_tan>};
constexpr UnaryFunction asin = {Takes::AsFloats, of_ball<ball_asin>};
constexpr UnaryFunction acos = {Takes::AsFloats, of_ball<&BallMath::acos>};
constexpr UnaryFunction atan = {Takes::AsFloats, of_ball<ball_atan>};
constexpr UnaryFunction sinh = {Takes::AsFloats, of_ball<ball_sinh>};
constexpr UnaryFunction cosh = {Takes::AsFloats, of_ball<ball_cosh>};
constexpr UnaryFunction tanh = {.floating = of_ball<&BallMath::tanh>,
                                .plain = [](double x, const ReferenceCall&) { return std::tanh(x); }};
constexpr UnaryFunction asinh = {Takes::AsFloats, of_ball<ball_asinh>};
constexpr UnaryFunction acosh = {Takes::AsFloats, of_ball<&BallMath::acosh>};
constexpr UnaryFunction atanh = {Takes::AsFloats, of_ball<ball_atanh>};
constexpr UnaryFunction sinc = {Takes::AsFloats, of_ball<ball_sinc>};

// A product with a number, which eager rounds to the dtype first.
Ball to_radians(const BallMath& math, const Ball& x) { return math.mul(math.scalar(std::numbers::pi / 180), x); }
Ball to_degrees(const BallMath& math, const Ball& x) { return math.mul(math.scalar(180 / std::numbers::pi), x); }

constexpr UnaryFunction deg2rad = {.floating = of_ball<to_radians>, .clones_layout = true};
constexpr UnaryFunction rad2deg = {.floating = of_ball<to_degrees>, .clones_layout = true};

}  // namespace

std::vector<OpDef> trigonometric_family() {
  return {
      unary_op<sin>("sin(Tensor self) -> Tensor"),
      unary_op<cos>("cos(Tensor self) -> Tensor"),
      unary_op<tan>("tan(Tensor self) -> Tensor"),
      unary_op<asin>("asin(Tensor self) -> Tensor"),
      unary_op<acos>("acos(Tensor self) -> Tensor"),
      unary_op<atan>("atan(Tensor self) -> Tensor"),
      unary_op<sinh>("sinh(Tensor self) -> Tensor"),
      unary_op<cosh>("cosh(Tensor self) -> Tensor"),
      unary_op<tanh>("tanh(Tensor self) -> Tensor"),
      unary_op<asinh>("asinh(Tensor self) -> Tensor"),
      unary_op<acosh>("acosh(Tensor self) -> Tensor"),
      unary_op<atanh>("atanh(Tensor self) -> Tensor"),
      unary_op<sinc>("sinc(Tensor self) -> Tensor"),
      unary_op<deg2rad>("deg2rad(Tensor self) -> Tensor"),
      unary_op<rad2deg>("rad2deg(Tensor self) -> Tensor"),

      unary_twin<sin>("sin_(Tensor(a!) self) -> Tensor(a!)", "aten.sin.default"),
      unary_twin<cos>("cos_(Tensor(a!) self) -> Tensor(a!)", "aten.cos.default"),
      unary_twin<tan>("tan_(Tensor(a!) self) -> Tensor(a!)", "aten.tan.default"),
      unary_twin<asin>("asin_(Tensor(a!) self) -> Tensor(a!)", "aten.asin.default"),
      unary_twin<acos>("acos_(Tensor(a!) self) -> Tensor(a!)", "aten.acos.default"),
      unary_twin<atan>("atan_(Tensor(a!) self) -> Tensor(a!)", "aten.atan.default"),
      unary_twin<sinh>("sinh_(Tensor(a!) self) -> Tensor(a!)", "aten.sinh.default"),
      unary_twin<cosh>("cosh_(Tensor(a!) self) -> Tensor(a!)", "aten.cosh.default"),
      unary_twin<tanh>("tanh_(Tensor(a!) self) -> Tensor(a!)", "aten.tanh.default"),
      unary_twin<asinh>("asinh_(Tensor(a!) self) -> Tensor(a!)", "aten.asinh.default"),
      unary_twin<acosh>("acosh_(Tensor(a!) self) -> Tensor(a!)", "aten.acosh.default"),
      unary_twin<atanh>("atanh_(Tensor(a!) self) -> Tensor(a!)", "aten.atanh.default"),
      unary_twin<sinc>("sinc_(Tensor(a!) self) -> Tensor(a!)", "aten.sinc.default"),
      unary_twin<deg2rad>("deg2rad_(Tensor(a!) self) -> Tensor(a!)", "aten.deg2rad.default"),
      unary_twin<rad2deg>("rad2deg_(Tensor(a!) self) -> Tensor(a!)", "aten.rad2deg.default"),
  };
}

}  // namespace parallax
