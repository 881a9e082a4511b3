// Dead nodes: what nobody would miss.
#pragma once

#include "graph/graph.h"

namespace parallax {

// Without the nodes whose results reach no output and that have no effects; a planted fault sees fewer effects
// (compiler/passes/drop_dead_nodes.cpp).
Result<Graph> drop_nodes_unless(const Graph& graph, bool (*has_effects)(const Op& op));

}  // namespace parallax
