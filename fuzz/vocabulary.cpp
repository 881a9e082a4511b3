#include "fuzz/vocabulary.h"

#include <algorithm>

#include "ops/registry.h"

namespace parallax {

Vocabulary::Vocabulary(const std::function<bool(const Op& op)>& accept) {
  for (const Op& op : all_ops()) {
    if (op.sample && accept(op)) by_group_[static_cast<std::size_t>(op.group)].push_back(&op);
  }
}

Vocabulary Vocabulary::taken_by(const std::vector<const Target*>& targets) {
  const auto every = [&](auto&& takes) { return std::ranges::all_of(targets, takes); };
  Vocabulary words([&](const Op& op) { return every([&](const Target* target) { return target->takes(op); }); });
  if (std::ranges::all_of(words.by_group_, [](const auto& ops) { return ops.empty(); })) return all();
  words.strided_sources_ = every([](const Target* target) { return target->takes_strided_sources(); });
  words.several_runs_ = every([](const Target* target) { return target->takes_several_runs(); });
  bool whole = true;
  for (int d = 0; d < dtype_count; ++d) {
    const auto dtype = static_cast<DType>(d);
    if (every([&](const Target* target) { return target->takes_dtype(dtype); })) continue;
    words.dtypes_.reset(static_cast<std::size_t>(d));
    whole = false;
  }
  if (words.dtypes_.none()) return all();
  std::vector<Dtypes> calls;
  for (const Op& op : all_ops()) {
    Dtypes& dtypes = calls.emplace_back();
    for (int d = 0; d < dtype_count; ++d) {
      const auto dtype = static_cast<DType>(d);
      dtypes[static_cast<std::size_t>(d)] = every([&](const Target* target) { return target->takes_call(op, dtype); });
    }
    whole = whole && (dtypes.all() || dtypes.none());
  }
  if (!whole) words.calls_ = std::move(calls);
  return words;
}

const Vocabulary& Vocabulary::all() {
  static const Vocabulary every([](const Op&) { return true; });
  return every;
}

bool Vocabulary::has(const Op& op, DType dtype) const {
  return whole() || calls_[static_cast<std::size_t>(&op - all_ops().data())][static_cast<std::size_t>(dtype)];
}

}  // namespace parallax
