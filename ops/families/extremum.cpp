// Extremes of a tensor or along dims, and where they stand: amax, amin, aminmax, max, min, argmax, argmin.
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/lanes.h"
#include "ops/running_extreme.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// The second result: of aminmax the largest, of max.dim and min.dim where the extremes stand.
constexpr int second_result = 1;

Metas infer_extreme(const Call& call) {
  TRY_VOID(check_reduces_something(call));
  TRY(const Layout layout, reduced_layout(call));
  return fresh_result(call.tensor(arg::self).dtype, layout);
}

// aminmax: the smallest and the largest.
Metas infer_both(const Call& call) {
  TRY(std::vector<ResultMeta> results, infer_extreme(call));
  results.push_back(results.front());
  return results;
}

// max.dim: values and indices.
Metas infer_extreme_at(const Call& call) {
  TRY(std::vector<ResultMeta> results, infer_extreme(call));
  results.push_back({DType::I64, results.front().layout, ValueId()});
  return results;
}

Metas infer_place(const Call& call) {
  const DType self = call.tensor(arg::self).dtype;
  if (self == DType::Bool) return refuse("{} does not take bool", call.op().name);
  TRY(std::vector<ResultMeta> results, infer_extreme(call));
  results.front().dtype = DType::I64;
  return results;
}

template <class Element>
RunningExtreme<Element> extreme_of(const BallMath& math, bool smallest, std::span<const Element> elements,
                                   std::span<const int64_t> lane) {
  RunningExtreme<Element> extreme(math, smallest, OfEqual::First);
  for (std::size_t k = 0; k < lane.size(); ++k) extreme.add(elements[k], lane[k]);
  return extreme;
}

// Puts the extremes of all lanes into `values` and their places into `indices`, where these are wanted.
void find_extremes(const ReferenceCall& call, bool smallest, const BallView* values, const BallView* indices) {
  const BallView& self = call.input(arg::self);
  const BallMath math(self.floating() ? self.dtype : DType::F32, call.profile());
  const Lanes lanes(self.layout, *reduced_dims(call));
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto result = static_cast<int64_t>(i);
    // An empty tensor has empty lanes only where it has no result.
    if (self.floating()) {
      const std::vector<Ball> balls = lane_balls(self, lanes[i], self.dtype, call.profile());
      const auto extreme = extreme_of<Ball>(math, smallest, balls, lanes[i]);
      if (values) values->ball(result) = extreme.value();
      if (indices) indices->integer(result) = extreme.index();
    } else {
      const std::vector<IntegerBall> integers = lane_integers(self, lanes[i], self.dtype);
      const auto extreme = extreme_of<IntegerBall>(math, smallest, integers, lanes[i]);
      if (values) values->integer(result) = extreme.value();
      if (indices) indices->integer(result) = extreme.index();
    }
  }
}

template <bool smallest>
Result<void> reference_extreme(const ReferenceCall& call) {
  find_extremes(call, smallest, &call.output(), nullptr);
  return {};
}

Result<void> reference_both(const ReferenceCall& call) {
  find_extremes(call, true, &call.output(), nullptr);
  find_extremes(call, false, &call.output(second_result), nullptr);
  return {};
}

template <bool smallest>
Result<void> reference_extreme_at(const ReferenceCall& call) {
  find_extremes(call, smallest, &call.output(), &call.output(second_result));
  return {};
}

template <bool smallest>
Result<void> reference_place(const ReferenceCall& call) {
  find_extremes(call, smallest, nullptr, &call.output());
  return {};
}

std::optional<std::vector<Argument>> sample_extreme(const Op& op, SampleContext& context) {
  return sample_lanes(op, context, {.nonempty = true});
}

std::optional<std::vector<Argument>> sample_place(const Op& op, SampleContext& context) {
  return sample_lanes(op, context, {.accepts = [](DType dtype) { return dtype != DType::Bool; }, .nonempty = true});
}

template <bool smallest>
OpDef extreme(std::string_view schema) {
  return {.schema = schema, .infer = infer_extreme, .reference = reference_extreme<smallest>, .sample = sample_extreme};
}

template <bool smallest>
OpDef extreme_at(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_extreme_at,
          .reference = reference_extreme_at<smallest>,
          .sample = sample_extreme};
}

template <bool smallest>
OpDef index(std::string_view schema) {
  return {.schema = schema, .infer = infer_place, .reference = reference_place<smallest>, .sample = sample_place};
}

}  // namespace

std::vector<OpDef> extremum_family() {
  return {
      extreme<false>("amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"),
      extreme<true>("amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor"),
      extreme<false>("max(Tensor self) -> Tensor"),
      extreme<true>("min(Tensor self) -> Tensor"),
      extreme_at<false>("max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"),
      extreme_at<true>("min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"),
      index<false>("argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"),
      index<true>("argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor"),
      {.schema = "aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)",
       .infer = infer_both,
       .reference = reference_both,
       .sample = sample_extreme},
  };
}

}  // namespace parallax
