#include "planner/packing.h"

#include <algorithm>

namespace parallax {

int64_t lower_bound(const PackingProblem& problem) {
  struct Change {
    int step = 0;
    int64_t bytes = 0;
  };
  std::vector<Change> changes;
  changes.reserve(2 * problem.blocks.size());
  for (const Block& block : problem.blocks) {
    changes.push_back({block.range.first, block.size});
    changes.push_back({block.range.last + 1, -block.size});
  }
  // What ends goes before what begins.
  std::ranges::sort(
      changes, [](const Change& a, const Change& b) { return a.step != b.step ? a.step < b.step : a.bytes < b.bytes; });
  int64_t live = 0;
  int64_t most = 0;
  for (const Change& change : changes) most = std::max(most, live += change.bytes);
  return most;
}

int64_t height_of(const PackingProblem& problem, const std::vector<int64_t>& offsets) {
  int64_t height = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) height = std::max(height, offsets[i] + problem.blocks[i].size);
  return height;
}

bool is_packing(const PackingProblem& problem, const std::vector<int64_t>& offsets) {
  if (offsets.size() != problem.blocks.size()) return false;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const Block& a = problem.blocks[i];
    if (offsets[i] < 0 || offsets[i] % a.alignment != 0) return false;
    for (std::size_t j = 0; j < i; ++j) {
      const Block& b = problem.blocks[j];
      const bool share = offsets[i] < offsets[j] + b.size && offsets[j] < offsets[i] + a.size;
      if (a.range.overlaps(b.range) && a.size > 0 && b.size > 0 && share) return false;
    }
  }
  return true;
}

}  // namespace parallax
