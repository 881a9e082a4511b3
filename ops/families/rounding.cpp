// Rounding: floats to integers that stay floats, element by element.
#include <cmath>

#include "ops/ball_functions.h"
#include "ops/families.h"
#include "ops/sample.h"
#include "ops/unary_op.h"

namespace parallax {
namespace {

using Takes = UnaryFunction::Takes;

constexpr UnaryFunction ceil = {Takes::Numbers, of_ball<ball_ceil>, same_integer};
constexpr UnaryFunction floor = {Takes::Numbers, of_ball<ball_floor>, same_integer};
constexpr UnaryFunction round = {Takes::Numbers, of_ball<ball_round>, same_integer};
constexpr UnaryFunction trunc = {Takes::Numbers, of_ball<ball_trunc>, same_integer};
constexpr UnaryFunction frac = {Takes::Floats, of_ball<ball_frac>};

// round(x 10^n) / 10^n, or round(x / 10^n) 10^n for a negative number of decimals, each step in the dtype.
constexpr UnaryFunction round_decimals = {Takes::Floats,
                                          [](const BallMath& math, const Ball& x, const ReferenceCall& call) {
                                            const auto decimals = static_cast<double>(call.integer(arg::decimals));
                                            if (decimals == 0) return ball_round(math, x);
                                            const Ball power = math.scalar(std::pow(10.0, std::fabs(decimals)));
                                            if (decimals > 0)
                                              return math.div(ball_round(math, math.mul(x, power)), power);
                                            return math.mul(ball_round(math, math.div(x, power)), power);
                                          }};

std::optional<std::vector<Argument>> sample_decimals(const Op& op, SampleContext& context) {
  const auto self = pick_operand(op, context, Takes::Floats);
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self, Scalar(context.choices().between(-1, 2))};
}

}  // namespace

std::vector<OpDef> rounding_family() {
  return {
      unary_op<ceil>("ceil(Tensor self) -> Tensor"),
      unary_op<floor>("floor(Tensor self) -> Tensor"),
      unary_op<round>("round(Tensor self) -> Tensor"),
      unary_op<trunc>("trunc(Tensor self) -> Tensor"),
      unary_op<frac>("frac(Tensor self) -> Tensor"),
      unary_op<round_decimals>("round.decimals(Tensor self, *, int decimals) -> Tensor", sample_decimals),

      unary_twin<ceil>("ceil_(Tensor(a!) self) -> Tensor(a!)", "aten.ceil.default"),
      unary_twin<floor>("floor_(Tensor(a!) self) -> Tensor(a!)", "aten.floor.default"),
      unary_twin<round>("round_(Tensor(a!) self) -> Tensor(a!)", "aten.round.default"),
      unary_twin<trunc>("trunc_(Tensor(a!) self) -> Tensor(a!)", "aten.trunc.default"),
      unary_twin<frac>("frac_(Tensor(a!) self) -> Tensor(a!)", "aten.frac.default"),
      inplace_twin("round_.decimals(Tensor(a!) self, *, int decimals) -> Tensor(a!)", "aten.round.decimals",
                   sample_decimals),
  };
}

}  // namespace parallax
