// Fewer outputs: one alone, half of them, all but one.
#include <fmt/format.h>

#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {

std::vector<Edit> output_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  const Sketch whole = take_apart(test);
  const std::size_t count = whole.outputs.size();
  // The nodes that nothing depends on go first of all: it is the cheapest large step.
  candidates.offer_with_and_without_dead("dead nodes", whole);
  const auto offer_range = [&](std::size_t begin, std::size_t end, bool keep) {
    Sketch sketch = whole;
    sketch.outputs.clear();
    for (std::size_t i = 0; i < count; ++i) {
      if ((i >= begin && i < end) == keep) sketch.outputs.push_back(whole.outputs[i]);
    }
    std::string range = test.graph.name(whole.outputs[begin]);
    if (end - begin > 1) range += fmt::format(" and {} more", end - begin - 1);
    candidates.offer_with_and_without_dead(fmt::format("{} {}", keep ? "only" : "without", range), sketch);
  };
  if (count < 2) return candidates.take();
  for (std::size_t i = count; i-- > 0;) offer_range(i, i + 1, true);
  if (count > 3) {
    offer_range(0, count / 2, true);
    offer_range(0, count / 2, false);
  }
  for (std::size_t i = count; i-- > 0;) offer_range(i, i + 1, false);
  return candidates.take();
}

}  // namespace parallax
