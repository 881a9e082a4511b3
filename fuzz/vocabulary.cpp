#include "fuzz/drawn_ops.h"

#include <algorithm>

#include "ops/registry.h"

namespace parallax {

DrawnOps::DrawnOps(const std::function<bool(const Op& op)>& accept) {
  for (const Op& op : all_ops()) {
    if (op.sample && accept(op)) by_group_[static_cast<std::size_t>(op.group)].push_back(&op);
  }
}

DrawnOps DrawnOps::taken_by(const std::vector<const Target*>& targets) {
  return DrawnOps([&](const Op& op) {
    return std::ranges::all_of(targets, [&](const Target* target) { return target->takes(op); });
  });
}

const DrawnOps& DrawnOps::all() {
  static const DrawnOps every([](const Op&) { return true; });
  return every;
}

}  // namespace parallax
