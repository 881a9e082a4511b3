// Operands that have to fit one another: matrices of a product, an image and its filter.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "ops/op.h"

namespace parallax {

// Two values of the pool for which `accept(meta, meta)` holds, drawn among the pairs; nothing if there is none. Of a
// large pool not all pairs are looked at: from a drawn one on, until there are enough to draw from.
template <class Accept>
std::optional<std::pair<ValueId, ValueId>> pick_pair(SampleContext& context, Accept&& accept) {
  constexpr std::size_t most_looked_at = 16384;
  constexpr std::size_t enough = 24;
  const std::span<const Candidate> pool = context.pool();
  const std::size_t all = pool.size() * pool.size();
  const std::size_t first = pool.size() > enough ? context.choices().below(all) : 0;
  std::vector<std::pair<ValueId, ValueId>> pairs;
  for (std::size_t i = 0; i < std::min(all, most_looked_at); ++i) {
    const std::size_t pair = (first + i) % all;
    const ValueId left = pool[pair / pool.size()].value;
    const ValueId right = pool[pair % pool.size()].value;
    if (accept(context.meta(left), context.meta(right))) pairs.emplace_back(left, right);
    if (pool.size() > enough && pairs.size() == enough) break;
  }
  if (pairs.empty()) return std::nullopt;
  return context.choices().pick(pairs);
}

}  // namespace parallax
