// The last nodes gone: what they used comes out instead. How many is found by bisection.
#include "reducers/reduction_passes.h"
#include "reducers/reduction_state.h"
#include "reducers/removal.h"

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
    const std::size_t kept = (too_few + count) / 2;
    if (!reduction.take(first_nodes(reduction.best(), kept))) too_few = kept;
  }
}

}  // namespace parallax
