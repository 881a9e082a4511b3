#include "ops/counted_size.h"

#include <algorithm>
#include <array>
#include <set>

#include "core/check.h"
#include "ops/cast.h"
#include "ops/view_layout.h"

namespace parallax {
namespace {

// Adds up a number that each element stands for; an element that is not known makes the sum so.
template <class NumberOf>
FoundCount sum_over(const Layout& layout, NumberOf&& number_of) {
  FoundCount found;
  for_each_element(layout, [&](int64_t element) {
    const IntegerBall number = number_of(element);
    if (found.undecided == Undecided::No) found.undecided = number.undecided;
    found.count += number.value;
  });
  return found;
}

FoundCount count_of_truths(const BallView& view, const Layout& layout) {
  return sum_over(layout, [&](int64_t element) { return element_as_integer(view, element, DType::Bool); });
}

FoundCount count_of_nonzero(const Call& call, std::span<const BallView> views) {
  const BallView& self = views[call.value(arg::self).index];
  return count_of_truths(self, self.layout);
}

FoundCount count_of_selected(const Call& call, std::span<const BallView> views) {
  const BallView& mask = views[call.value(arg::mask).index];
  const std::optional<Dims> sizes = broadcast_sizes(views[call.value(arg::self).index].layout.sizes, mask.layout.sizes);
  return count_of_truths(mask, *broadcast_to(mask.layout, *sizes));
}

FoundCount count_of_different(const Call& call, std::span<const BallView> views) {
  const BallView& self = views[call.value(arg::self).index];
  std::set<int64_t> seen;
  const Undecided undecided = sum_over(self.layout, [&](int64_t element) {
                                seen.insert(self.integer(element).value);
                                return self.integer(element);
                              }).undecided;
  return {static_cast<int64_t>(seen.size()), undecided};
}

// Counts below 0 are left to the reference to refuse.
FoundCount count_of_repeats(const Call& call, std::span<const BallView> views) {
  const BallView& repeats = views[call.value(arg::repeats).index];
  return sum_over(repeats.layout, [&](int64_t element) { return repeats.integer(element); });
}

// There is one mask: infer refuses more.
FoundCount count_of_mask(const Call& call, std::span<const BallView> views) {
  for (const ValueId index : call.values(arg::indices)) {
    if (!index.valid() || call.meta(index).dtype != DType::Bool) continue;
    const BallView& mask = views[index.index];
    return count_of_truths(mask, mask.layout);
  }
  return {};
}

constexpr std::string_view open_count = ": a size hangs on data that are not known";

struct CountedOp {
  std::string_view name;
  FoundCount (*count)(const Call& call, std::span<const BallView> views);
};

constexpr std::array counted_ops = {
    CountedOp{"aten.nonzero.default", count_of_nonzero},
    CountedOp{"aten.masked_select.default", count_of_selected},
    CountedOp{"aten._unique2.default", count_of_different},
    CountedOp{"aten.index.Tensor", count_of_mask},
    CountedOp{"aten.repeat_interleave.Tensor", count_of_repeats},
};

}  // namespace

bool is_counted_op(std::string_view name) {
  return std::ranges::find(counted_ops, name, &CountedOp::name) != counted_ops.end();
}

bool has_counted_size(const Op& op) {
  return !op.schema.parameters.empty() && op.schema.parameters.back().name == count_parameter;
}

std::size_t count_place(const Op& op) {
  PARALLAX_CHECK(has_counted_size(op));
  return op.schema.parameters.size() - 1;
}

std::optional<int64_t> stated_count(const Call& call) {
  if (!has_counted_size(call.op())) return std::nullopt;
  const auto* count = std::get_if<Scalar>(&call.arguments()[count_place(call.op())]);
  return count ? std::optional(std::get<int64_t>(*count)) : std::nullopt;
}

Result<int64_t> needed_count(const Call& call) {
  const std::optional<int64_t> count = stated_count(call);
  if (!count) {
    return std::unexpected(Error{ErrorKind::Unsupported, "", "",
                                 call.op().name + ": a result whose shape depends on the data is not supported "
                                                  "without a \"count\" that states it"});
  }
  if (*count < 0) return refuse("{}: the count {} is negative", call.op().name, *count);
  return *count;
}

FoundCount found_count(const Call& call, std::span<const BallView> views) {
  const auto counted = std::ranges::find(counted_ops, call.op().name, &CountedOp::name);
  PARALLAX_CHECK(counted != counted_ops.end());
  return counted->count(call, views);
}

Result<void> check_count(const Call& call, std::span<const BallView> views) {
  const std::optional<int64_t> stated = stated_count(call);
  if (!stated) return {};
  const FoundCount found = found_count(call, views);
  if (found.undecided != Undecided::No)
    return std::unexpected(Error{ErrorKind::Unsupported, "", "", call.op().name + std::string(open_count)});
  if (found.count == *stated) return {};
  return fail("{}: the data make it {}, and the case says {}", call.op().name, found.count, *stated);
}

bool is_open_count(const Error& error) {
  return error.kind == ErrorKind::Unsupported && error.reason.ends_with(open_count);
}

}  // namespace parallax
