// Data for the ops that index with tensors: what a test fills its tensors with is seldom in range.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/ops/op_harness.h"

namespace parallax {

// Moves the elements of the operands that are indices into the range that the op asks for.
inline void move_indices_into_range(const OpHarness& harness, const Op& op, const std::vector<Argument>& arguments) {
  if (!op.index_ranges) return;
  for (const IndexRange& range : op.index_ranges(Call(op, arguments, harness.metas()))) {
    if (range.places <= 0) continue;
    const std::vector<int64_t> elements = elements_of(harness.meta(range.value).layout);
    for (std::size_t i = 0; i < elements.size(); ++i) {
      int64_t& index = harness.view_of(range.value).integer(elements[i]).value;
      // One tensor may index two dims: no index grows.
      index = std::clamp<int64_t>(index, 0, static_cast<int64_t>(i)) % range.places;
    }
  }
}

}  // namespace parallax
