// F12: two partitions of one backend are merged because one reads the other, whatever lies between them: what does,
// reads the first and is read by the second (ExecuTorch #20384, #18397, #18191; PyTorch #86511).
#include <algorithm>

#include "compiler/faults.h"

namespace parallax {
namespace {

bool reads(const Run& reader, const Run& maker, const Dependencies& dependencies) {
  return std::ranges::any_of(reader.nodes, [&](NodeId node) {
    return std::ranges::any_of(dependencies[node.index], [&](NodeId before) {
      return std::ranges::find(maker.nodes, before) != maker.nodes.end();
    });
  });
}

// Supported, unsupported, supported, with an edge that skips the middle: the outer two become one.
std::vector<Run> merge_over_the_middle(const Dependencies& dependencies, NodeRange range, std::span<const int> keys) {
  std::vector<Run> merged;
  for (Run& run : order_in_runs(dependencies, range, keys)) {
    Run* before = merged.size() >= 2 ? &merged[merged.size() - 2] : nullptr;
    if (before && before->key == run.key && reads(run, *before, dependencies)) {
      before->nodes.insert(before->nodes.end(), run.nodes.begin(), run.nodes.end());
    } else {
      merged.push_back(std::move(run));
    }
  }
  return merged;
}

}  // namespace

const Fault partition_cycle = {
    "F12",
    "partition cycle",
    "partition",
    "partitions that read each other are merged over one that stands between them",
    "executorch#20384, executorch#18397, executorch#18191, pytorch#86511, executorch#22403",
    [](CompilerParts& parts) { parts.partition.order = merge_over_the_middle; },
};

}  // namespace parallax
