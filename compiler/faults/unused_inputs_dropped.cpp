// F10: inputs whose data the partition does not need are dropped from the callee alone, and the call stays positional
// (ExecuTorch #22480).
#include <algorithm>

#include "compiler/faults.h"

namespace parallax {
namespace {

// zeros_like and its kin ask for sizes only; once they are folded, what they were given has no user.
bool reads_data(const Node& node) { return node.op->group != OpGroup::Fill; }

void drop_inputs_without_users(const Graph& graph, Partition& partition) {
  std::vector<bool> used(graph.metas.size(), false);
  for (std::size_t n = partition.nodes.first; n < partition.nodes.end; ++n) {
    if (!reads_data(graph.nodes[n])) continue;
    for (const Argument& argument : graph.nodes[n].arguments) {
      for_each_value(argument, [&](ValueId value) { used[value.index] = true; });
    }
  }
  std::erase_if(partition.inputs, [&](ValueId input) { return !used[input.index]; });
}

}  // namespace

const Fault unused_inputs_dropped = {
    "F10",
    "unused inputs dropped",
    "partition",
    "an input that nothing reads once a partition is folded disappears from the callee, not from the call",
    "executorch#22480, executorch#22478",
    [](CompilerParts& parts) { parts.partition.adjust = drop_inputs_without_users; },
};

}  // namespace parallax
