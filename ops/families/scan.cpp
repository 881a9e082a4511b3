// Scans: each element is a reduction of those before it along one dim.
#include "ops/ball_sum.h"
#include "ops/cast.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/inplace.h"
#include "ops/lanes.h"
#include "ops/running_extreme.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// cumsum and cumprod; integers are counted in i64.
Metas infer_running_total(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const Result<int> dim = wrap_dim(call.integer(arg::dim), self.layout.rank());
  if (!dim) return in_op(call, dim.error());
  const DType dtype = call.dtype(arg::dtype).value_or(is_floating(self.dtype) ? self.dtype : DType::I64);
  // Eager notices only when there is something to add up.
  if (dtype == DType::Bool && self.layout.rank() > 0 && self.layout.numel() > 0)
    return refuse("{} does not make bool", call.op().name);
  return fresh_result(dtype, contiguous_layout(self.layout.sizes));
}

Metas infer_running_total_inplace(const Call& call) {
  const DType self = call.tensor(arg::self).dtype;
  if (call.dtype(arg::dtype).value_or(self) != self)
    return refuse("{}: the dtype is not that of the written tensor", call.op().name);
  return infer_inplace(call);
}

// Values and indices.
Metas infer_running_extreme(const Call& call) {
  const TensorMeta& self = call.tensor(arg::self);
  const Result<int> dim = wrap_dim(call.integer(arg::dim), self.layout.rank());
  if (!dim) return in_op(call, dim.error());
  const Layout layout = contiguous_layout(self.layout.sizes);
  return std::vector{ResultMeta{self.dtype, layout, ValueId()}, ResultMeta{DType::I64, layout, ValueId()}};
}

// The lanes along the dim of a tensor of the operand's shape. An operand without dims is its own lane.
Lanes lanes_along(const Call& call, const Layout& layout) {
  DimMask along(static_cast<std::size_t>(layout.rank()), false);
  if (layout.rank() > 0) along[static_cast<std::size_t>(*wrap_dim(call.integer(arg::dim), layout.rank()))] = true;
  return {layout, along};
}

// Runs `visit(from, to)` over the lanes of the operand and of the result.
template <class Visit>
void for_each_lane(const ReferenceCall& call, Visit&& visit) {
  // An empty tensor may have any number of lanes of no elements.
  if (call.output().layout.numel() == 0) return;
  const Lanes from = lanes_along(call, call.input(arg::self).layout);
  const Lanes to = lanes_along(call, call.output().layout);
  for (std::size_t i = 0; i < from.size(); ++i) visit(from[i], to[i]);
}

uint64_t added(uint64_t a, uint64_t b) { return a + b; }
uint64_t multiplied(uint64_t a, uint64_t b) { return a * b; }

template <class FloatTotal, uint64_t (*join)(uint64_t, uint64_t), int64_t start>
Result<void> reference_running_total(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallView& output = call.output();
  const BallMath math(output.floating() ? output.dtype : DType::F32, call.profile());
  for_each_lane(call, [&](std::span<const int64_t> from, std::span<const int64_t> to) {
    FloatTotal total(math);
    IntegerBall count{start, Undecided::No};
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (output.floating()) {
        total.add(element_as_ball(self, from[k], output.dtype, call.profile()));
        output.ball(to[k]) = total.result();
      } else {
        const IntegerBall x = element_as_integer(self, from[k], output.dtype);
        const uint64_t joined = join(static_cast<uint64_t>(count.value), static_cast<uint64_t>(x.value));
        count = {wrap_to(output.dtype, static_cast<int64_t>(joined)), first_undecided({count, x})};
        output.integer(to[k]) = count;
      }
    }
  });
  return {};
}

// The extremes are the first result, their places the second.
constexpr int indices_result = 1;

// Of equal extremes eager gives the place of the last so far.
template <bool smallest>
Result<void> reference_running_extreme(const ReferenceCall& call) {
  const BallView& self = call.input(arg::self);
  const BallMath math(self.floating() ? self.dtype : DType::F32, call.profile());
  for_each_lane(call, [&](std::span<const int64_t> from, std::span<const int64_t> to) {
    RunningExtreme<Ball> largest(math, smallest, OfEqual::Last);
    RunningExtreme<IntegerBall> largest_integer(math, smallest, OfEqual::Last);
    for (std::size_t k = 0; k < from.size(); ++k) {
      if (self.floating()) {
        largest.add(self.ball(from[k]), from[k]);
        call.output().ball(to[k]) = largest.value();
        call.output(indices_result).integer(to[k]) = largest.index();
      } else {
        largest_integer.add(self.integer(from[k]), from[k]);
        call.output().integer(to[k]) = largest_integer.value();
        call.output(indices_result).integer(to[k]) = largest_integer.index();
      }
    }
  });
  return {};
}

std::optional<std::vector<Argument>> sample_running_total(const Op& op, SampleContext& context) {
  return sample_lanes(op, context, {.accepts = [](DType dtype) { return dtype != DType::Bool; }});
}

std::optional<std::vector<Argument>> sample_running_extreme(const Op& op, SampleContext& context) {
  return sample_lanes(op, context);
}

template <bool smallest>
OpDef extreme(std::string_view schema) {
  return {.schema = schema,
          .infer = infer_running_extreme,
          .reference = reference_running_extreme<smallest>,
          .sample = sample_running_extreme};
}

OpDef scan_twin(std::string_view schema, std::string_view functional) {
  return {.schema = schema,
          .infer = infer_running_total_inplace,
          .reference = reference_inplace,
          .sample = sample_running_total,
          .functional = functional};
}

}  // namespace

std::vector<OpDef> scan_family() {
  return {
      {.schema = "cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
       .infer = infer_running_total,
       .reference = reference_running_total<BallSum, added, 0>,
       .sample = sample_running_total},
      {.schema = "cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
       .infer = infer_running_total,
       .reference = reference_running_total<BallProduct, multiplied, 1>,
       .sample = sample_running_total},
      scan_twin("cumsum_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)", "aten.cumsum.default"),
      scan_twin("cumprod_(Tensor(a!) self, int dim, *, ScalarType? dtype=None) -> Tensor(a!)", "aten.cumprod.default"),
      extreme<false>("cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)"),
      extreme<true>("cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)"),
  };
}

}  // namespace parallax
