// Which nodes of a program compute something.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace parallax {

// Whether the node has a result in memory of its own, or writes. `makers` go by storage (storage_makers).
inline bool computes(const Graph& graph, const std::vector<std::optional<NodeId>>& makers, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op->is_view()) return false;
  return node.op->writes() || std::ranges::any_of(node.results, [&](ValueId result) {
           return makers[graph.meta(result).storage.index] == id;
         });
}

}  // namespace parallax
