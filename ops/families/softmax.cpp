// Softmax, its logarithm, logsumexp and logcumsumexp.
#include "ops/ball_softmax.h"
#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/lanes.h"
#include "ops/plain/softmax_in_double.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// A contiguous result of the operand's shape.
Metas infer_along(const Call& call, DType dtype) {
  const Layout& self = call.tensor(arg::self).layout;
  const Result<int> dim = wrap_dim(call.integer(arg::dim), self.rank());
  if (!dim) return in_op(call, dim.error());
  if (!is_floating(dtype)) return refuse("{} takes floating dtypes only", call.op().name);
  return fresh_result(dtype, contiguous_layout(self.sizes));
}

Metas infer_softmax(const Call& call) {
  if (call.boolean(arg::half_to_float)) return refuse("{}: eager converts halves to f32 on a GPU only", call.op().name);
  return infer_along(call, call.tensor(arg::self).dtype);
}

// The composites convert first where they are asked to.
Metas infer_composite(const Call& call) {
  return infer_along(call, call.dtype(arg::dtype).value_or(call.tensor(arg::self).dtype));
}

Metas infer_scan(const Call& call) { return infer_along(call, call.tensor(arg::self).dtype); }

// Runs `visit(to, balls, store)` over the lanes of the operand, as balls of the accumulator's dtype, and those of the
// result; `store(k, ball)` rounds into element k of the result's lane.
template <class Visit>
void for_each_lane_of_balls(const ReferenceCall& call, Visit&& visit) {
  const BallView& output = call.output();
  // An empty tensor may have any number of lanes of no elements.
  if (output.layout.numel() == 0) return;
  const DType accumulator = accumulator_of(BallMath(output.dtype, call.profile()));
  const BallMath math(accumulator, call.profile());
  const DimMask along = *reduced_dims(call);
  const Lanes from(call.input(arg::self).layout, along);
  const Lanes to(output.layout, along);
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::vector<Ball> lane;
    for (int64_t element : from[i]) {
      const Ball converted = element_as_ball(call.input(arg::self), element, output.dtype, call.profile());
      lane.push_back(cast_ball(converted, output.dtype, accumulator, call.profile()));
    }
    visit(math, lane, [&](std::size_t k, const Ball& ball) {
      output.ball(to[i][k]) = cast_ball(ball, accumulator, output.dtype, call.profile());
    });
  }
}

template <Ball (BallSoftmax::*element)(std::size_t) const>
Result<void> reference_softmax(const ReferenceCall& call) {
  const DType stored = call.output().dtype;
  for_each_lane_of_balls(call, [stored](const BallMath& math, std::span<const Ball> lane, auto store) {
    const BallSoftmax softmax(math, lane, stored);
    for (std::size_t k = 0; k < lane.size(); ++k) store(k, (softmax.*element)(k));
  });
  return {};
}

Result<void> reference_logcumsumexp(const ReferenceCall& call) {
  for_each_lane_of_balls(call, [](const BallMath& math, std::span<const Ball> lane, auto store) {
    BallLogAddExp sum(math);
    for (std::size_t k = 0; k < lane.size(); ++k) {
      sum.add(lane[k]);
      store(k, sum.result());
    }
  });
  return {};
}

Metas infer_logsumexp(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  // Eager's own shapes do not fit then: it keeps the dims of the maxima, and drops those of the sums.
  if (call.integers(arg::dim).empty() && self.layout.rank() > 0 && self.layout.numel() > 0 &&
      !call.boolean(arg::keepdim))
    return refuse("{} needs dims", call.op().name);
  TRY(const Layout layout, reduced_layout(call));
  return fresh_result(floating_type(self.dtype), layout);
}

Result<void> reference_logsumexp(const ReferenceCall& call) {
  const BallView& output = call.output();
  const DType accumulator = accumulator_of(BallMath(output.dtype, call.profile()));
  const BallMath math(accumulator, call.profile());
  const Lanes lanes(call.input(arg::self).layout, *reduced_dims(call));
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::vector<Ball> lane = lane_balls(call.input(arg::self), lanes[i], accumulator, call.profile());
    const Ball sum = BallSoftmax(math, lane, output.dtype).log_sum();
    output.ball(static_cast<int64_t>(i)) = cast_ball(sum, accumulator, output.dtype, call.profile());
  }
  return {};
}

std::optional<std::vector<Argument>> sample_softmax(const Op& op, SampleContext& context) {
  auto arguments = sample_lanes(op, context, {.accepts = is_floating});
  if (arguments && op.schema.index_of(arg::half_to_float) >= 0) {
    return with_argument(op, *std::move(arguments), arg::half_to_float, Scalar(false));
  }
  return arguments;
}

std::optional<std::vector<Argument>> sample_logsumexp(const Op& op, SampleContext& context) {
  auto arguments = sample_lanes(op, context);
  if (!arguments) return std::nullopt;
  Argument& dim = (*arguments)[static_cast<std::size_t>(op.schema.index_of(arg::dim))];
  if (std::get<IntList>(dim).empty()) dim = IntList{0};
  return arguments;
}

template <Ball (BallSoftmax::*element)(std::size_t) const>
OpDef softmax(std::string_view schema, InferFn infer) {
  return {.schema = schema,
          .infer = infer,
          .reference = reference_softmax<element>,
          .plain = element == &BallSoftmax::probability ? softmax_plainly : log_softmax_plainly,
          .sample = sample_softmax};
}

}  // namespace

std::vector<OpDef> softmax_family() {
  constexpr auto probability = &BallSoftmax::probability;
  constexpr auto log_probability = &BallSoftmax::log_probability;
  return {
      softmax<probability>("_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", infer_softmax),
      softmax<log_probability>("_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", infer_softmax),
      softmax<probability>("softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", infer_composite),
      softmax<log_probability>("log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
                               infer_composite),
      softmax<probability>("special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", infer_composite),
      softmax<log_probability>("special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
                               infer_composite),
      {.schema = "logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
       .infer = infer_logsumexp,
       .reference = reference_logsumexp,
       .sample = sample_logsumexp},
      {.schema = "logcumsumexp(Tensor self, int dim) -> Tensor",
       .infer = infer_scan,
       .reference = reference_logcumsumexp,
       .sample = sample_softmax},
  };
}

}  // namespace parallax
