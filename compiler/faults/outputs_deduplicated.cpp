// F09: the outputs of a partition are deduplicated, and those behind shift by one while the caller counts as before
// (ExecuTorch #22787, #18143, #22897; coremltools #1450).
#include <algorithm>
#include <optional>

#include "compiler/faults.h"

namespace parallax {
namespace {

// Outputs with the same elements of the same memory become one.
void keep_one_of_equal_outputs(const Graph& graph, Partition& partition) {
  std::vector<ValueId> outputs;
  std::vector<int> passed;
  for (std::size_t i = 0; i < partition.outputs.size(); ++i) {
    const TensorMeta& meta = graph.meta(partition.outputs[i]);
    const bool twice = std::ranges::any_of(outputs, [&](ValueId before) {
      return graph.meta(before).storage == meta.storage && graph.meta(before).layout == meta.layout;
    });
    if (twice) continue;
    outputs.push_back(partition.outputs[i]);
    passed.push_back(partition.passed[i]);
  }
  partition.outputs = std::move(outputs);
  partition.passed = std::move(passed);
}

}  // namespace

const Fault outputs_deduplicated = {
    "F09",
    "duplicate outputs",
    "partition",
    "a partition's output list is deduplicated, and later outputs shift by one",
    "executorch#22787, executorch#18143, executorch#22897, coremltools#1450",
    [](CompilerParts& parts) { parts.partition.adjust = keep_one_of_equal_outputs; },
};

}  // namespace parallax
