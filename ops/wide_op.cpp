#include "ops/wide_op.h"

#include "ops/number.h"
#include "ops/sample.h"

namespace parallax {
namespace {

bool is_wide(DType dtype) { return opmath_type(dtype) == dtype; }
bool is_wide_floating(DType dtype) { return is_floating(dtype) && is_wide(dtype); }

std::optional<ValueId> pick_wide(SampleContext& context) {
  return context.pick([](const Candidate&, const TensorMeta& meta) { return is_wide_floating(meta.dtype); });
}

}  // namespace

Result<void> check_wide_pair(const Call& call, DType common) {
  if (!is_wide(common)) return refuse("{} does not take {}", call.op().name, name(common));
  return {};
}

Result<void> check_wide(const Call& call) { return check_wide_pair(call, call.tensor(first_operand).dtype); }

std::optional<std::vector<Argument>> sample_wide(const Op&, SampleContext& context) {
  const auto self = pick_wide(context);
  if (!self) return std::nullopt;
  return std::vector<Argument>{*self};
}

std::optional<std::vector<Argument>> sample_wide_pair(const Op& op, SampleContext& context) {
  const auto first = pick_wide(context);
  if (!first) return std::nullopt;
  const Scalar number = draw_scalar(context.choices(), context.meta(*first).dtype);
  if (takes_scalar(op, first_operand)) return std::vector<Argument>{number, *first};
  if (takes_scalar(op, second_operand)) return std::vector<Argument>{*first, number};
  const auto second = pick_second(context, *first, is_wide, false);
  if (!second) return std::nullopt;
  return std::vector<Argument>{*first, *second};
}

}  // namespace parallax
