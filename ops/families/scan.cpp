// Scans: each element is a reduction of those before it along one dim.
#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/inplace.h"
#include "ops/reduce_dims.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

Result<std::vector<ResultMeta>> infer_cumsum(const Call& call) {
  const TensorMeta& self = call.tensor(0);
  const Result<int> dim = wrap_dim(call.integer(1), self.layout.rank());
  if (!dim) return in_op(call, dim.error());
  const DType dtype = call.dtype(2).value_or(is_floating(self.dtype) ? self.dtype : DType::I64);
  // Eager notices only when there is something to add up.
  if (dtype == DType::Bool && self.layout.rank() > 0 && self.layout.numel() > 0)
    return refuse("{} does not make bool", call.op().name);
  return fresh_result(dtype, contiguous_layout(self.layout.sizes));
}

Result<std::vector<ResultMeta>> infer_cumsum_inplace(const Call& call) {
  const DType self = call.tensor(0).dtype;
  if (call.dtype(2).value_or(self) != self)
    return refuse("{}: the dtype is not that of the written tensor", call.op().name);
  return infer_inplace(call);
}

// The lanes that are summed are those elements that a reduction of the dim would join; row-major order visits each in
// turn.
std::vector<int64_t> lanes(const ReferenceCall& call) {
  const Dims& sizes = call.input(0).layout.sizes;
  DimMask along(static_cast<std::size_t>(sizes.size()), false);
  if (!sizes.empty()) along[static_cast<std::size_t>(*wrap_dim(call.integer(1), sizes.size()))] = true;
  return result_indices(sizes, along);
}

Result<void> reference_cumsum(const ReferenceCall& call) {
  const BallView& self = call.input(0);
  const BallView& output = call.output();
  const std::vector<int64_t> lane = lanes(call);
  const std::vector<int64_t> from = elements_of(self.layout);
  const std::vector<int64_t> to = elements_of(output.layout);
  const BallMath math(output.floating() ? output.dtype : DType::F32, call.profile());
  // At most one lane an element.
  std::vector<BallSum> sums(output.floating() ? lane.size() : 0, BallSum(math));
  std::vector<IntegerBall> totals(output.floating() ? 0 : lane.size());
  for (std::size_t i = 0; i < lane.size(); ++i) {
    const auto k = static_cast<std::size_t>(lane[i]);
    if (output.floating()) {
      sums[k].add(element_as_ball(self, from[i], output.dtype, call.profile()));
      output.ball(to[i]) = sums[k].result();
    } else {
      const IntegerBall x = element_as_integer(self, from[i], output.dtype);
      const uint64_t sum = static_cast<uint64_t>(totals[k].value) + static_cast<uint64_t>(x.value);
      totals[k] = {wrap_to(output.dtype, static_cast<int64_t>(sum)), first_undecided({totals[k], x})};
      output.integer(to[i]) = totals[k];
    }
  }
  return {};
}

std::optional<std::vector<Argument>> sample_cumsum(const Op& op, SampleContext& context) {
  const auto no_bool = [](DType dtype) { return dtype != DType::Bool; };
  const auto self = op.writes() ? pick_writable(context, no_bool) : pick_tensor(context);
  if (!self) return std::nullopt;
  return with_defaults(op, {*self, Scalar(draw_dim(context.choices(), context.meta(*self).layout.rank()))});
}

}  // namespace

std::vector<OpDef> scan_family() {
  return {
      {.schema = "cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
       .infer = infer_cumsum,
       .reference = reference_cumsum,
       .sample = sample_cumsum},
      {.schema = "cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)",
       .infer = infer_cumsum_inplace,
       .reference = reference_inplace,
       .sample = sample_cumsum,
       .functional = "aten.cumsum.default"},
  };
}

}  // namespace parallax
