// Order statistics of a lane: median, nanmedian, kthvalue. Of equal elements eager gives the place of any.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/lanes.h"
#include "ops/ranking.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// The results where there are two, values being the first.
constexpr int indices_result = 1;

Metas infer_statistic(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  if (self.dtype == DType::Bool) return refuse("{} does not take bool", call.op().name);
  TRY(const Layout layout, reduced_layout(call));
  std::vector<ResultMeta> results = fresh_result(self.dtype, layout);
  if (call.op().schema.returns.size() > 1) results.push_back({DType::I64, layout, ValueId()});
  return results;
}

Metas infer_median_at(const Call& call) {
  TRY_VOID(check_reduces_something(call));
  return infer_statistic(call);
}

Metas infer_kth(const Call& call) {
  TRY_VOID(check_reduces_something(call));
  const Dims& sizes = call.tensor(arg::self).layout.sizes;
  const Result<int> dim = wrap_dim(call.integer(arg::dim), sizes.size());
  if (!dim) return in_op(call, dim.error());
  const int64_t size = sizes.empty() ? 1 : sizes[*dim];
  const int64_t k = call.integer(arg::k);
  if (k < 1 || k > size) return refuse("{}: k = {} of {} elements", call.op().name, k, size);
  return infer_statistic(call);
}

struct Statistic {
  Ball ball;
  IntegerBall value;
  IntegerBall index;
};

template <class Element>
void put(Statistic& statistic, const Element& element, int64_t position) {
  if constexpr (std::is_same_v<Element, Ball>) {
    statistic.ball = element;
  } else {
    statistic.value = element;
  }
  statistic.index = {std::max<int64_t>(position, 0), position < 0 ? Undecided::InexactCompare : Undecided::No};
}

// The element that stands at place k of the lane, counted from 0; `positions` are the lane's places in its dim.
template <class Element>
Statistic ranked_at(std::span<const Element> lane, std::span<const int64_t> positions, std::size_t k) {
  const RankedPlace place = rank(lane, Ties::Open)[k];
  Statistic statistic;
  put(statistic, value_at(lane, place), place.position < 0 ? -1 : positions[static_cast<std::size_t>(place.position)]);
  return statistic;
}

Undecided reason_of(std::span<const Ball> lane) {
  for (const Ball& x : lane) {
    if (!x.decided()) return x.undecided;
  }
  return Undecided::No;
}
Undecided reason_of(std::span<const IntegerBall> lane) {
  for (const IntegerBall& x : lane) {
    if (x.undecided != Undecided::No) return x.undecided;
  }
  return Undecided::No;
}

Statistic unknown(Undecided reason) { return {Ball::unknown(reason), {0, reason}, {0, reason}}; }

// Which element a statistic takes of a lane that is known.
enum class Kind { Kth, Median, NanMedian };

// The lower of the two elements in the middle. A NaN is the median of all, the first of several; nanmedian looks at the
// numbers alone.
template <class Element>
Statistic statistic_of(std::vector<Element> lane, Kind kind, std::size_t k) {
  if (const Undecided reason = reason_of(lane); reason != Undecided::No) return unknown(reason);
  std::vector<int64_t> positions;
  for (std::size_t i = 0; i < lane.size(); ++i) positions.push_back(static_cast<int64_t>(i));
  if (kind == Kind::Kth) return ranked_at<Element>(lane, positions, k);
  if constexpr (std::is_same_v<Element, Ball>) {
    const bool may_nan = std::ranges::any_of(lane, [](const Ball& x) { return x.may_nan; });
    const auto nan = std::ranges::find_if(lane, is_definite_nan);
    if (kind == Kind::Median && nan != lane.end()) {
      Statistic first;
      put(first, *nan, may_nan ? -1 : nan - lane.begin());
      return first;
    }
    if (may_nan) return unknown(Undecided::InexactCompare);
    std::vector<int64_t> numbers;
    for (int64_t i : positions) {
      if (!is_definite_nan(lane[static_cast<std::size_t>(i)])) numbers.push_back(i);
    }
    std::erase_if(lane, is_definite_nan);
    positions = numbers;
    if (lane.empty()) {
      Statistic none;
      put(none, Ball::exact(std::numeric_limits<double>::quiet_NaN()), -1);
      return none;
    }
  }
  // Eager gives the smallest integer as the median of none.
  if (lane.empty()) return unknown(Undecided::Uninitialized);
  return ranked_at<Element>(lane, positions, (lane.size() - 1) / 2);
}

template <Kind kind>
Result<void> reference_statistic(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const Lanes lanes(self.layout, *reduced_dims(call));
  const std::size_t k = kind == Kind::Kth ? static_cast<std::size_t>(call.integer(arg::k) - 1) : 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    const auto result = static_cast<int64_t>(i);
    const Statistic statistic = self.floating()
                                    ? statistic_of(lane_balls(self, lanes[i], self.dtype, call.profile()), kind, k)
                                    : statistic_of(lane_integers(self, lanes[i], self.dtype), kind, k);
    if (self.floating()) {
      call.output().ball(result) = statistic.ball;
    } else {
      call.output().integer(result) = statistic.value;
    }
    if (call.outputs().size() > 1) call.output(indices_result).integer(result) = statistic.index;
  }
  return {};
}

// Eager 2.13 sorts an expanded operand in memory that its rows share, and returns wrong numbers: median([[1, 0], [1,
// 0]] expanded from [1, 0], 0) is [0, 0] there.
std::optional<std::vector<Argument>> sample_statistic(const Op& op, SampleContext& context) {
  auto arguments =
      sample_lanes(op, context, {.accepts = [](DType dtype) { return dtype != DType::Bool; }, .nonempty = true});
  if (arguments && is_expanded(context.meta(std::get<ValueId>(arguments->front())).layout)) return std::nullopt;
  return arguments;
}

std::optional<std::vector<Argument>> sample_kth(const Op& op, SampleContext& context) {
  auto arguments = sample_statistic(op, context);
  if (!arguments) return std::nullopt;
  const Dims& sizes = context.meta(std::get<ValueId>(arguments->front())).layout.sizes;
  const auto at = static_cast<std::size_t>(op.schema.index_of(arg::dim));
  const int dim = *wrap_dim(as_integer(std::get<Scalar>((*arguments)[at])), sizes.size());
  const Scalar k = context.choices().between(1, sizes.empty() ? 1 : sizes[dim]);
  return with_argument(op, *std::move(arguments), arg::k, k);
}

template <Kind kind>
OpDef median(std::string_view schema) {
  return {
      .schema = schema, .infer = infer_statistic, .reference = reference_statistic<kind>, .sample = sample_statistic};
}

template <Kind kind>
OpDef median_at(std::string_view schema) {
  return {
      .schema = schema, .infer = infer_median_at, .reference = reference_statistic<kind>, .sample = sample_statistic};
}

}  // namespace

std::vector<OpDef> order_statistic_family() {
  return {
      median<Kind::Median>("median(Tensor self) -> Tensor"),
      median<Kind::NanMedian>("nanmedian(Tensor self) -> Tensor"),
      median_at<Kind::Median>(
          "median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"),
      median_at<Kind::NanMedian>(
          "nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"),
      {.schema = "kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)",
       .infer = infer_kth,
       .reference = reference_statistic<Kind::Kth>,
       .sample = sample_kth},
  };
}

}  // namespace parallax
