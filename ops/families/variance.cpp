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

// The results where there are two, the variance or deviation being the first.
constexpr int mean_result = 1;

// By a `correction`, or by `unbiased`, a correction of 1 or 0.
double correction_of(const Call& call) {
  if (call.takes(arg::unbiased)) return call.boolean(arg::unbiased) ? 1 : 0;
  return call.has(arg::correction) ? call.real(arg::correction) : 1;
}

Result<std::vector<ResultMeta>> infer_variance(const Call& call) {
  const DType dtype = call.tensor(arg::self).dtype;
  if (!is_floating(dtype)) return refuse("{} takes floating dtypes only", call.op().name);
  TRY(const Layout layout, reduced_layout(call));
  return std::vector(call.op().schema.returns.size(), ResultMeta{dtype, layout, ValueId()});
}

template <bool root>
Result<void> reference_variance(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const DType dtype = self.dtype;
  const DType accumulator = accumulator_of(BallMath(dtype, call.profile()));
  const BallMath math(accumulator, call.profile());
  const Lanes lanes(self.layout, *reduced_dims(call));
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const std::vector<Ball> lane = lane_balls(self, lanes[i], accumulator, call.profile());
    const BallMoments moments(math, lane);
    const auto store = [&](const BallView& output, const Ball& ball) {
      output.ball(static_cast<int64_t>(i)) = cast_ball(ball, accumulator, dtype, call.profile());
    };
    const Ball variance = moments.variance(correction_of(call));
    store(call.output(), root ? math.sqrt(variance) : variance);
    if (call.outputs().size() > 1) store(call.output(mean_result), moments.mean());
  }
  return {};
}

std::optional<std::vector<Argument>> sample_variance(const Op& op, SampleContext& context) {
  auto arguments = sample_lanes(op, context, {.accepts = is_floating});
  if (!arguments || !context.choices().chance(40)) return arguments;
  if (op.schema.index_of(arg::correction) >= 0) {
    return with_argument(op, *std::move(arguments), arg::correction, Scalar(context.choices().between(0, 2)));
  }
  return with_argument(op, *std::move(arguments), arg::unbiased, Scalar(false));
}

OpDef variance(std::string_view schema) {
  return {.schema = schema, .infer = infer_variance, .reference = reference_variance<false>, .sample = sample_variance};
}

OpDef deviation(std::string_view schema) {
  return {.schema = schema, .infer = infer_variance, .reference = reference_variance<true>, .sample = sample_variance};
}

}  // namespace

std::vector<OpDef> variance_family() {
  return {
      variance("var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
               "bool keepdim=False) -> Tensor"),
      variance("var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor"),
      variance("var(Tensor self, bool unbiased=True) -> Tensor"),
      variance("var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
               "bool keepdim=False) -> (Tensor, Tensor)"),
      variance("var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)"),
      variance("var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)"),
      deviation("std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
                "bool keepdim=False) -> Tensor"),
      deviation("std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor"),
      deviation("std(Tensor self, bool unbiased=True) -> Tensor"),
      deviation("std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, "
                "bool keepdim=False) -> (Tensor, Tensor)"),
      deviation("std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)"),
      deviation("std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)"),
  };
}

}  // namespace parallax
