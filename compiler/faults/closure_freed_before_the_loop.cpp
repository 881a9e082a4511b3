// F51: a value that only the subgraphs of a loop read is taken for dead before the loop (ExecuTorch #21490: the planner
// does not see into branches).
#include <algorithm>

#include "compiler/faults.h"
#include "graph/control_op.h"

namespace parallax {
namespace {

// Whether the parameter is an operand that a subgraph takes as it is, and no carry or slices.
bool is_closure(const ControlOp& op, std::size_t parameter) {
  return parameter >= op.first_operand() + op.parts.carries + op.parts.scanned;
}

Lifetimes lifetimes_without_closures(const Graph& graph) {
  Lifetimes lifetimes = alias_set_lifetimes(graph);
  std::vector<int> last(graph.storages.size(), -1);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const ControlOp* op = as_control(*graph.nodes[n].op);
    for (std::size_t i = 0; i < graph.nodes[n].arguments.size(); ++i) {
      if (op && is_closure(*op, i)) continue;
      for_each_value(graph.nodes[n].arguments[i],
                     [&](ValueId value) { last[graph.meta(value).storage.index] = static_cast<int>(n); });
    }
  }
  for (std::size_t s = 0; s < lifetimes.size(); ++s) {
    LiveRange& range = lifetimes[s].range;
    if (lifetimes[s].arena == Arena::Backend) range.last = std::max(range.first, std::min(range.last, last[s]));
  }
  return lifetimes;
}

}  // namespace

const Fault closure_freed_before_the_loop = {
    "F51",
    "closure freed before the loop",
    "planner",
    "a value that only the subgraphs of a node read is dead before the node, and its slot is used again",
    "executorch#21490",
    [](CompilerParts& parts) { parts.lifetimes = lifetimes_without_closures; },
};

}  // namespace parallax
