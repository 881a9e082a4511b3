#include "fuzz/campaign/drawn_calls.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string_view>

#include "ops/registry.h"

namespace parallax {
namespace {

// "add" of "aten.add_.Tensor" and of "add.Tensor*2".
std::string_view stem_of(std::string_view op) {
  constexpr std::string_view prefix = "aten.";
  if (op.starts_with(prefix)) op.remove_prefix(prefix.size());
  op = op.substr(0, op.find_first_of(".*"));
  return op.ends_with('_') ? op.substr(0, op.size() - 1) : op;
}

bool is_stem_of_an_op(std::string_view stem) {
  static const auto* stems = [] {
    auto* all = new std::set<std::string, std::less<>>;
    for (const Op& op : all_ops()) all->emplace(stem_of(op.name));
    return all;
  }();
  return stems->contains(stem);
}

// The ops of an entry: those to avoid, else those of its graph, which stands last in a signature:
// "mismatch | portable | values | clone neg*2; view~clone".
std::set<std::string, std::less<>> stems_of(const KnownFinding& entry) {
  std::set<std::string, std::less<>> stems;
  for (const auto& [op, dtypes] : entry.avoid) stems.emplace(stem_of(op));
  if (!stems.empty()) return stems;
  const std::size_t bar = entry.signature.rfind("| ");
  if (bar == std::string::npos) return stems;
  std::string_view ops = std::string_view(entry.signature).substr(bar + 2);
  ops = ops.substr(0, ops.find(';'));
  while (!ops.empty()) {
    const std::size_t end = std::min(ops.find(' '), ops.size());
    const std::string_view stem = stem_of(ops.substr(0, end));
    if (is_stem_of_an_op(stem)) stems.emplace(stem);
    ops.remove_prefix(std::min(end + 1, ops.size()));
  }
  return stems;
}

}  // namespace

std::optional<int64_t> drawn_calls(const KnownFinding& entry, const std::map<std::string, Tally>& tallies) {
  const std::set<std::string, std::less<>> stems = stems_of(entry);
  if (stems.empty()) return std::nullopt;
  std::map<std::string, int64_t, std::less<>> drawn;
  for (const auto& [target, tally] : tallies) {
    if (!entry.is_of(target)) continue;
    for (const auto& [op, count] : tally.calls) drawn[std::string(stem_of(op))] += count;
  }
  int64_t least = std::numeric_limits<int64_t>::max();
  for (const std::string& stem : stems) {
    const auto found = drawn.find(stem);
    least = std::min(least, found == drawn.end() ? 0 : found->second);
  }
  return least;
}

}  // namespace parallax
