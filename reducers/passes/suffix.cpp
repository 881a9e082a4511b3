// The last nodes gone: what they used comes out instead. How many is found by bisection.
#include <vector>

#include "graph/removal.h"
#include "reducers/reduction_passes.h"
#include "reducers/reduction_state.h"

namespace parallax {
namespace {

// The first `kept` nodes, with everything they made that the others or the caller used as outputs.
std::optional<Case> first_nodes(const Case& test, std::size_t kept) {
  Sketch sketch = take_apart(test);
  const std::vector<bool> used = used_values(sketch);
  sketch.nodes.resize(kept);
  Sketch inside = sketch;
  inside.outputs.clear();
  const std::vector<bool> still_used = used_values(inside);
  std::vector<bool> made(used.size(), false);
  for (const Sketch::CallSketch& node : sketch.nodes) {
    for (ValueId result : node.results) made[result.index] = true;
  }
  std::erase_if(sketch.outputs, [&](ValueId output) { return !made[output.index]; });
  std::vector<bool> out(used.size(), false);
  for (ValueId output : sketch.outputs) out[output.index] = true;
  for (const Sketch::CallSketch& node : sketch.nodes) {
    for (ValueId result : node.results) {
      if (used[result.index] && !still_used[result.index] && !out[result.index]) sketch.outputs.push_back(result);
    }
  }
  return put_together(sketch, test);
}

}  // namespace

void cut_suffix(Reduction& reduction) {
  std::size_t too_few = 0;
  while (!reduction.spent()) {
    const std::size_t count = reduction.best().graph.nodes.size();
    if (count - too_few < 2) return;
    // Each is asked for if the one before it fails.
    std::vector<std::size_t> kept;
    for (std::size_t low = (too_few + count) / 2; count - low >= 1; low = (low + count) / 2) {
      kept.push_back(low);
      if (count - low < 2) break;
    }
    const std::vector<std::size_t> taken =
        reduction.take_first(kept.size(), [&](std::size_t i) { return first_nodes(reduction.best(), kept[i]); });
    const std::size_t failed = taken.empty() ? kept.size() : taken.front();
    if (failed > 0) too_few = kept[failed - 1];
  }
}

}  // namespace parallax
