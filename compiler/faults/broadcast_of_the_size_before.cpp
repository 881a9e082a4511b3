// F59: a kernel that was chosen where a dim was 1 is found again by its op and rank where it is not, and goes through
// one row again and again (flash-attention #2298, tt-metal #54138, pytorch #175763).
#include "compiler/faults.h"
#include "graph/graph.h"

namespace parallax {
namespace {

// Of values that a pointwise call makes in memory of their own and that are not returned: what is written to one row is
// what is read there.
void keep_broadcasts(const Program& before, Program& resized) {
  const Graph& graph = resized.graph;
  std::vector<bool> returned(graph.metas.size(), false);
  for (const ValueId output : graph.outputs) returned[output.index] = true;
  for (const Node& node : graph.nodes) {
    if (node.op->writes() || node.op->is_view() || node.results.size() != 1) continue;
    const ValueId result = node.results.front();
    Layout& now = resized.graph.metas[result.index].layout;
    const Layout& old = before.graph.meta(result).layout;
    if (returned[result.index] || old.rank() != now.rank() || now.strides != contiguous_strides(now.sizes)) continue;
    for (int dim = 0; dim < now.rank(); ++dim) {
      if (old.sizes[dim] == 1 && now.sizes[dim] > 1) now.strides[dim] = 0;
    }
  }
}

}  // namespace

const Fault broadcast_of_the_size_before = {
    "F59",
    "kernel cached by rank",
    "compiler/resize.cpp",
    "a call's result has one row where it had one at the sizes before, whatever its size is now",
    "flash-attention#2298, tt-metal#54138, pytorch#175763",
    [](CompilerParts& parts) { parts.resize.settle = keep_broadcasts; },
};

}  // namespace parallax
