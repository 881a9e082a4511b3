// F56: a view keeps the strides of the size that ran before, as a kernel does that bakes them in at its first call
// (tt-metal #54138, NVIDIA/Fuser #3019).
#include "compiler/faults.h"
#include "graph/graph.h"

namespace parallax {
namespace {

// Only of views that lie in a storage of the program's own, and only where no step leads out of it.
void keep_strides(const Program& before, Program& resized) {
  const std::vector<std::optional<NodeId>> makers = storage_makers(resized.graph);
  for (const Node& node : resized.graph.nodes) {
    if (!node.op->is_view()) continue;
    for (const ValueId result : node.results) {
      TensorMeta& meta = resized.graph.metas[result.index];
      const Layout& old = before.graph.meta(result).layout;
      if (!makers[meta.storage.index] || old.rank() != meta.layout.rank()) continue;
      const Layout stale{meta.layout.sizes, old.strides, meta.layout.offset};
      if (stale.extent() <= resized.graph.storage(meta.storage).elements) meta.layout = stale;
    }
  }
}

}  // namespace

const Fault strides_of_the_size_before = {
    "F56",
    "strides of the size before",
    "compiler/resize.cpp",
    "a view is read with the strides that it had at the sizes before, where they lead nowhere else",
    "tt-metal#54138, NVIDIA/Fuser#3019",
    [](CompilerParts& parts) { parts.resize.settle = keep_strides; },
};

}  // namespace parallax
