// An output becomes an operand of the node that made it, whatever its shape: what is wrong is seen where it arises.
#include <fmt/format.h>

#include "reducers/candidates.h"
#include "reducers/reduction_passes.h"

namespace parallax {
namespace {

const Sketch::CallSketch* maker_of(const Sketch& sketch, ValueId value) {
  for (const Sketch::CallSketch& node : sketch.nodes) {
    for (ValueId result : node.results) {
      if (result == value) return &node;
    }
  }
  return nullptr;
}

}  // namespace

std::vector<Edit> earlier_output_candidates(const Case& test, const RecordedValues&) {
  CandidateList candidates(test);
  const Sketch whole = take_apart(test);
  for (std::size_t i = 0; i < whole.outputs.size(); ++i) {
    const Sketch::CallSketch* maker = maker_of(whole, whole.outputs[i]);
    if (maker == nullptr) continue;
    for (const Argument& argument : maker->arguments) {
      for_each_value(argument, [&](ValueId operand) {
        Sketch sketch = whole;
        sketch.outputs[i] = operand;
        candidates.offer_with_and_without_dead(
            fmt::format("{} for output {}", test.graph.name(operand), test.graph.name(whole.outputs[i])), sketch);
      });
    }
  }
  return candidates.take();
}

}  // namespace parallax
