// Zeta: Hurwitz's zeta function and the polygamma functions, which are its values.
#include "ops/ball_special.h"
#include "ops/ball_zeta.h"
#include "ops/cast.h"
#include "ops/families.h"
#include "ops/number.h"
#include "ops/wide_op.h"

namespace parallax {
namespace {

Ball zeta(const BallMath& math, const BallPair& pair) { return ball_zeta(math, pair.a, pair.b); }

// polygamma: the derivative of order n of digamma. The twin has its parameters the other way round.

Result<std::vector<ResultMeta>> infer_polygamma(const Call& call) {
  if (call.integer(arg::n) < 0) return refuse("{}: the order is negative", call.op().name);
  const DType dtype = floating_type(call.tensor(arg::self).dtype);
  TRY(const Layout layout, pointwise_layout(call, {arg::self}, dtype));
  return fresh_result(dtype, layout);
}

Result<std::vector<ResultMeta>> infer_polygamma_inplace(const Call& call) {
  if (call.integer(arg::n) < 0) return refuse("{}: the order is negative", call.op().name);
  const TensorMeta& self = call.tensor(arg::self);
  if (!is_floating(self.dtype)) return refuse("{} cannot write its result into {}", call.op().name, name(self.dtype));
  TRY_VOID(check_writable(call, call.value(arg::self)));
  return std::vector{ResultMeta{self.dtype, self.layout, call.value(arg::self)}};
}

// Eager computes digamma and trigamma of the halves in f32, but the series of zeta step by step in the half itself:
// what that is off by is not bounded here.
Ball polygamma_of(const ReferenceCall& call, DType dtype, int64_t order, const Ball& x, bool zeros_are_positive) {
  if (order == 0) {
    const BallMath math(dtype, call.profile());
    return by_sign(x, [&](const Ball& y) { return ball_digamma(math, y, zeros_are_positive); });
  }
  const bool half = size_of(dtype) == 2;
  if (half && order > 1) return Ball::unknown(Undecided::Unbounded);
  const DType computed = call.allows(Form::AccumulateInHalf) ? dtype : opmath_type(dtype);
  const Ball result = ball_polygamma(BallMath(computed, call.profile()), order, x);
  return cast_ball(result, computed, dtype, call.profile());
}

Result<void> reference_polygamma(const ReferenceCall& call) {
  const BallView& output = call.output();
  const Operand self(call, arg::self, output.layout.sizes, output.dtype);
  const bool zeros_are_positive = !call.input(arg::self).floating();
  const std::vector<int64_t> elements = elements_of(output.layout);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    output.ball(elements[i]) = polygamma_of(call, output.dtype, call.integer(arg::n), self.ball(i), zeros_are_positive);
  }
  return {};
}

std::optional<std::vector<Argument>> sample_polygamma(const Op& op, SampleContext& context) {
  const auto self = pick_operand(op, context, UnaryFunction::Takes::AsFloats);
  if (!self) return std::nullopt;
  const bool half = size_of(context.meta(*self).dtype) == 2;
  const Argument order = Scalar(context.choices().between(0, half ? 1 : 4));
  if (op.writes()) return std::vector<Argument>{*self, order};
  return std::vector<Argument>{order, *self};
}

}  // namespace

std::vector<OpDef> zeta_family() {
  return {
      wide_pair_op<zeta>("special_zeta(Tensor self, Tensor other) -> Tensor"),
      wide_pair_op<zeta>("special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor"),
      wide_pair_op<zeta>("special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor"),
      {.schema = "polygamma(int n, Tensor self) -> Tensor",
       .infer = infer_polygamma,
       .reference = reference_polygamma,
       .sample = sample_polygamma},
      {.schema = "polygamma_(Tensor(a!) self, int n) -> Tensor(a!)",
       .infer = infer_polygamma_inplace,
       .reference = reference_polygamma,
       .sample = sample_polygamma},
  };
}

}  // namespace parallax
