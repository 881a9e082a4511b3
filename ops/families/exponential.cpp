// Exponential: exponentials, logarithms and roots, element by element.
#include <cmath>

#include "ops/ball_functions.h"
#include "ops/families.h"
#include "ops/sample.h"
#include "ops/unary_op.h"

namespace parallax {
namespace {

using Takes = UnaryFunction::Takes;

// An integer zero has no sign, and becomes +0.
bool zeros_are_positive(const ReferenceCall& call) { return !call.input(arg::self).floating(); }

constexpr UnaryFunction exp = {.floating = of_ball<&BallMath::exp>,
                               .plain = [](double x, const ReferenceCall&) { return std::exp(x); }};
constexpr UnaryFunction exp2 = {Takes::AsFloats, of_ball<ball_exp2>};
constexpr UnaryFunction expm1 = {Takes::AsFloats, of_ball<ball_expm1>};
constexpr UnaryFunction log = {.floating = of_ball<ball_log>,
                               .plain = [](double x, const ReferenceCall&) { return std::log(x); }};
constexpr UnaryFunction log2 = {Takes::AsFloats, of_ball<ball_log2>};
constexpr UnaryFunction log10 = {Takes::AsFloats, of_ball<ball_log10>};
constexpr UnaryFunction log1p = {Takes::AsFloats, of_ball<ball_log1p>};
constexpr UnaryFunction sqrt = {.floating = of_ball<&BallMath::sqrt>,
                                .plain = [](double x, const ReferenceCall&) { return std::sqrt(x); }};
// The root of a half may be stored as one.
constexpr UnaryFunction rsqrt = {
    .floating = [](const BallMath& math, const Ball& x,
                   const ReferenceCall& call) { return ball_rsqrt(math, x, zeros_are_positive(call)); },
    .in_own_dtype = true,
    .plain = [](double x, const ReferenceCall&) { return 1 / std::sqrt(x); }};
constexpr UnaryFunction reciprocal = {Takes::AsFloats,
                                      [](const BallMath& math, const Ball& x, const ReferenceCall& call) {
                                        return ball_reciprocal(math, x, zeros_are_positive(call));
                                      }};
constexpr UnaryFunction sigmoid = {.floating = of_ball<&BallMath::sigmoid>,
                                   .plain = [](double x, const ReferenceCall&) { return 1 / (1 + std::exp(-x)); }};

// Kept between eps and 1 - eps where there is an eps, and as eager does it where they cross: the lower one first.
Ball kept_inside(const BallMath& math, const Ball& x, double eps) {
  const Ball low = math.scalar(eps);
  const Ball high = math.sub(Ball::exact(1), low);
  if (low.mid <= high.mid) return math.minimum(math.maximum(x, low), high);
  const IntegerBall below = less(x, low);
  if (below.undecided != Undecided::No) return hull(low, high);
  return is_definite_nan(x) ? x : below.value ? low : high;
}

// log(x / (1 - x)).
Ball of_logit(const BallMath& math, const Ball& x, const ReferenceCall& call) {
  const bool bounded = call.has(arg::eps) && call.real(arg::eps) >= 0;
  const Ball inside = bounded ? kept_inside(math, x, call.real(arg::eps)) : x;
  // 1 - 1 is +0, and the quotient +inf.
  if (inside.is_exact() && inside.mid == 1) return ball_log(math, Ball::exact(HUGE_VAL));
  return ball_log(math, math.div(inside, math.sub(Ball::exact(1), inside)));
}
constexpr UnaryFunction logit = {.floating = of_logit, .in_own_dtype = true};

std::optional<std::vector<Argument>> sample_logit(const Op& op, SampleContext& context) {
  const auto self = pick_operand(op, context, Takes::AsFloats);
  if (!self) return std::nullopt;
  if (context.choices().chance(50)) return with_defaults(op, {*self, Scalar(0.125)});
  return with_defaults(op, {*self});
}

}  // namespace

std::vector<OpDef> exponential_family() {
  return {
      unary_op<exp>("exp(Tensor self) -> Tensor"),
      unary_op<exp2>("exp2(Tensor self) -> Tensor"),
      unary_op<expm1>("expm1(Tensor self) -> Tensor"),
      unary_op<log>("log(Tensor self) -> Tensor"),
      unary_op<log2>("log2(Tensor self) -> Tensor"),
      unary_op<log10>("log10(Tensor self) -> Tensor"),
      unary_op<log1p>("log1p(Tensor self) -> Tensor"),
      unary_op<sqrt>("sqrt(Tensor self) -> Tensor"),
      unary_op<rsqrt>("rsqrt(Tensor self) -> Tensor"),
      unary_op<reciprocal>("reciprocal(Tensor self) -> Tensor"),
      unary_op<sigmoid>("sigmoid(Tensor self) -> Tensor"),
      unary_op<logit>("logit(Tensor self, float? eps=None) -> Tensor", sample_logit),

      unary_twin<exp>("exp_(Tensor(a!) self) -> Tensor(a!)", "aten.exp.default"),
      unary_twin<exp2>("exp2_(Tensor(a!) self) -> Tensor(a!)", "aten.exp2.default"),
      unary_twin<expm1>("expm1_(Tensor(a!) self) -> Tensor(a!)", "aten.expm1.default"),
      unary_twin<log>("log_(Tensor(a!) self) -> Tensor(a!)", "aten.log.default"),
      unary_twin<log2>("log2_(Tensor(a!) self) -> Tensor(a!)", "aten.log2.default"),
      unary_twin<log10>("log10_(Tensor(a!) self) -> Tensor(a!)", "aten.log10.default"),
      unary_twin<log1p>("log1p_(Tensor(a!) self) -> Tensor(a!)", "aten.log1p.default"),
      unary_twin<sqrt>("sqrt_(Tensor(a!) self) -> Tensor(a!)", "aten.sqrt.default"),
      unary_twin<rsqrt>("rsqrt_(Tensor(a!) self) -> Tensor(a!)", "aten.rsqrt.default"),
      unary_twin<reciprocal>("reciprocal_(Tensor(a!) self) -> Tensor(a!)", "aten.reciprocal.default"),
      unary_twin<sigmoid>("sigmoid_(Tensor(a!) self) -> Tensor(a!)", "aten.sigmoid.default"),
      inplace_twin("logit_(Tensor(a!) self, float? eps=None) -> Tensor(a!)", "aten.logit.default", sample_logit),
  };
}

}  // namespace parallax
