#include "ops/lanes.h"

#include "ops/cast.h"
#include "ops/sample.h"
#include "ops/view_layout.h"

namespace parallax {

Lanes::Lanes(const Layout& layout, const DimMask& reduced) : elements_(elements_of(layout)) {
  const std::vector<int64_t> elements = std::move(elements_);
  const std::vector<int64_t> lanes = result_indices(layout.sizes, reduced);
  const int64_t count = contiguous_layout(reduced_sizes(layout.sizes, reduced, true)).numel();
  starts_.assign(static_cast<std::size_t>(count) + 1, 0);
  for (int64_t lane : lanes) ++starts_[static_cast<std::size_t>(lane) + 1];
  for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
  std::vector<std::size_t> next(starts_.begin(), starts_.end() - 1);
  elements_.resize(elements.size());
  for (std::size_t i = 0; i < elements.size(); ++i) {
    elements_[next[static_cast<std::size_t>(lanes[i])]++] = elements[i];
  }
}

std::vector<Ball> lane_balls(const BallView& view, std::span<const int64_t> lane, DType dtype,
                             const CallProfile& profile) {
  std::vector<Ball> balls;
  balls.reserve(lane.size());
  for (int64_t element : lane) balls.push_back(element_as_ball(view, element, dtype, profile));
  return balls;
}

std::vector<IntegerBall> lane_integers(const BallView& view, std::span<const int64_t> lane, DType dtype) {
  std::vector<IntegerBall> integers;
  integers.reserve(lane.size());
  for (int64_t element : lane) integers.push_back(element_as_integer(view, element, dtype));
  return integers;
}

namespace {

// The listed dims, one or several, or null where `dim` is one number, None or not there.
const IntList* listed(const Call& call) {
  return call.takes(arg::dim) ? std::get_if<IntList>(&call.argument(arg::dim)) : nullptr;
}

}  // namespace

Result<DimMask> reduced_dims(const Call& call) {
  const int rank = call.tensor(arg::self).layout.rank();
  if (!call.has(arg::dim)) return all_dims(rank);
  const IntList* list = listed(call);
  const IntList dims = list ? *list : IntList{call.integer(arg::dim)};
  Result<DimMask> mask = listed_dims(dims, rank);
  if (!mask) return in_op(call, mask.error());
  return mask;
}

Result<Layout> reduced_layout(const Call& call) {
  TRY(const DimMask reduced, reduced_dims(call));
  const bool keep = call.takes(arg::keepdim) && call.boolean(arg::keepdim);
  return contiguous_layout(reduced_sizes(call.tensor(arg::self).layout.sizes, reduced, keep));
}

Result<void> check_reduces_something(const Call& call) {
  const Layout& self = call.tensor(arg::self).layout;
  TRY(const DimMask reduced, reduced_dims(call));
  if (self.numel() != 0) return {};
  const IntList* list = listed(call);
  const bool names_dims = call.has(arg::dim) && (list == nullptr || !list->empty());
  if (!names_dims || reduced_count(self.sizes, reduced) == 0) {
    return refuse("{}: there is nothing to reduce, and no value for nothing", call.op().name);
  }
  return {};
}

std::optional<std::vector<Argument>> sample_lanes(const Op& op, SampleContext& context, ReductionOperand operand) {
  const auto self = context.pick([&](const Candidate& candidate, const TensorMeta& meta) {
    return (operand.accepts == nullptr || operand.accepts(meta.dtype)) &&
           (!operand.nonempty || meta.layout.numel() > 0) && (!op.writes() || candidate.writable);
  });
  if (!self) return std::nullopt;
  Choices& choices = context.choices();
  const int rank = context.meta(*self).layout.rank();
  const int dim = op.schema.index_of(arg::dim);
  const int keepdim = op.schema.index_of(arg::keepdim);
  std::vector<Argument> arguments = {*self};
  for (int i = 1; i < std::ssize(op.schema.parameters); ++i) {
    const Parameter& parameter = op.schema.parameters[static_cast<std::size_t>(i)];
    Argument& argument = arguments.emplace_back(parameter.default_value.value_or(Argument()));
    if (i == dim) {
      if (parameter.optional && choices.chance(25)) {
        argument = std::monostate();
      } else if (parameter.kind == ArgKind::IntList) {
        argument = draw_dims(choices, rank);
      } else {
        argument = Scalar(draw_dim(choices, rank));
      }
    } else if (i == keepdim) {
      argument = Scalar(choices.chance(40));
    }
  }
  return arguments;
}

}  // namespace parallax
