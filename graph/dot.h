// The graph as Graphviz dot: data flow in full lines, shared memory in dashed ones, writes in red.
#pragma once

#include <string>
#include <string_view>

#include "graph/graph.h"

namespace parallax {

std::string to_dot(const Graph& graph, std::string_view title = "");

}  // namespace parallax
