// Operands that have to fit one another: matrices of a product, an image and its filter.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "ops/op.h"

namespace parallax {

// Two values of the pool for which `accept(meta, meta)` holds, drawn evenly among the pairs; nothing if there is none.
template <class Accept>
std::optional<std::pair<ValueId, ValueId>> pick_pair(SampleContext& context, Accept&& accept) {
  std::vector<std::pair<ValueId, ValueId>> pairs;
  for (const Candidate& first : context.pool()) {
    for (const Candidate& second : context.pool()) {
      if (accept(context.meta(first.value), context.meta(second.value))) pairs.emplace_back(first.value, second.value);
    }
  }
  if (pairs.empty()) return std::nullopt;
  return context.choices().pick(pairs);
}

}  // namespace parallax
