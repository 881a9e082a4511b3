// Variance and standard deviation, alone or with the mean.
#include "ops/ball_moments.h"
#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/lanes.h"
#include "ops/sample.h"

namespace parallax {
namespace {

// The overloads: by a correction, by `unbiased` (a correction of 1 or 0) over dims, and over all of them.
enum class Overload { Correction, Dim, Whole };

constexpr ReductionParameters parameters_of(Overload form) {
  return form == Overload::Whole ? ReductionParameters{} : ReductionParameters{1, 3, -1};
}

template <Overload form>
double correction_of(const Call& call) {
  if (form == Overload::Correction) return call.has(2) ? call.real(2) : 1;
  return call.boolean(form == Overload::Dim ? 2 : 1) ? 1 : 0;
}

template <Overload form>
Result<std::vector<ResultMeta>> infer_variance(const Call& call) {
  const DType dtype = call.tensor(0).dtype;
  if (!is_floating(dtype)) return refuse("{} takes floating dtypes only", call.op().name);
  TRY(const Layout layout, reduced_layout(call, parameters_of(form)));
  return std::vector(call.op().schema.returns.size(), ResultMeta{dtype, layout, ValueId()});
}

template <Overload form, bool root>
Result<void> reference_variance(const ReferenceCall& call) {
  const BallView& self = call.input(0);
  const DType dtype = self.dtype;
  const DType accumulator = accumulator_of(BallMath(dtype, call.profile()));
  const BallMath math(accumulator, call.profile());
  const Lanes lanes(self.layout, *reduced_dims(call, parameters_of(form)));
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::vector<Ball> lane = lane_balls(self, lanes[i], accumulator, call.profile());
    const BallMoments moments(math, lane);
    const auto store = [&](const BallView& output, const Ball& ball) {
      output.ball(static_cast<int64_t>(i)) = cast_ball(ball, accumulator, dtype, call.profile());
    };
    const Ball variance = moments.variance(correction_of<form>(call));
    store(call.output(0), root ? math.sqrt(variance) : variance);
    if (call.outputs().size() > 1) store(call.output(1), moments.mean());
  }
  return {};
}

std::optional<std::vector<Argument>> sample_variance(const Op& op, SampleContext& context) {
  auto arguments = sample_lanes(op, context, {.accepts = is_floating});
  if (!arguments || !context.choices().chance(40)) return arguments;
  if (op.schema.overload == "correction") {
    return with_argument(op, *std::move(arguments), "correction", Scalar(context.choices().between(0, 2)));
  }
  return with_argument(op, *std::move(arguments), "unbiased", Scalar(false));
}

template <Overload form>
OpDef variance(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_variance<form>,
          .reference = reference_variance<form, false>,
          .sample = sample_variance};
}

template <Overload form>
OpDef deviation(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_variance<form>,
          .reference = reference_variance<form, true>,
          .sample = sample_variance};
}

}  // namespace

std::vector<OpDef> variance_family() {
  return {
      variance<Overload::Correction>("var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
                                 "bool keepdim=False) -> Tensor"),
      variance<Overload::Dim>("var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor"),
      variance<Overload::Whole>("var(Tensor self, bool unbiased=True) -> Tensor"),
      variance<Overload::Correction>("var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
                                 "bool keepdim=False) -> (Tensor, Tensor)"),
      variance<Overload::Dim>(
          "var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)"),
      variance<Overload::Whole>("var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)"),
      deviation<Overload::Correction>("std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
                                  "bool keepdim=False) -> Tensor"),
      deviation<Overload::Dim>("std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor"),
      deviation<Overload::Whole>("std(Tensor self, bool unbiased=True) -> Tensor"),
      deviation<Overload::Correction>("std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
                                  "bool keepdim=False) -> (Tensor, Tensor)"),
      deviation<Overload::Dim>(
          "std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)"),
      deviation<Overload::Whole>("std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)"),
  };
}

}  // namespace parallax
