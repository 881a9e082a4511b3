#include "fuzz/drawn_ops.h"

#include <algorithm>
#include <functional>

#include "ops/registry.h"

namespace parallax {

DrawnOps::DrawnOps(const std::function<bool(const Op& op)>& accept) {
  dtypes_.fill(true);
  for (const Op& op : all_ops()) {
    if (op.sample && accept(op)) by_group_[static_cast<std::size_t>(op.group)].push_back(&op);
  }
}

DrawnOps DrawnOps::taken_by(const std::vector<const Target*>& targets) {
  DrawnOps drawn([&](const Op& op) {
    return std::ranges::all_of(targets, [&](const Target* target) { return target->takes(op); });
  });
  if (std::ranges::all_of(drawn.by_group_, &std::vector<const Op*>::empty)) drawn.by_group_ = all().by_group_;
  for (int d = 0; d < dtype_count; ++d) {
    drawn.dtypes_[static_cast<std::size_t>(d)] =
        std::ranges::all_of(targets, [&](const Target* target) { return target->takes_dtype(static_cast<DType>(d)); });
  }
  if (std::ranges::none_of(drawn.dtypes_, std::identity())) drawn.dtypes_.fill(true);
  return drawn;
}

const DrawnOps& DrawnOps::all() {
  static const DrawnOps every([](const Op&) { return true; });
  return every;
}

}  // namespace parallax
