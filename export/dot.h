// The graph as Graphviz dot: data flow in full lines, shared memory in dashed ones, writes in red.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace parallax {

// A node to be looked at, and why: "overwrites a".
struct DotMark {
  NodeId node;
  std::string why;
};

// What is drawn has a class of its own (source, call, write, guilty, output; flow, alias, written), so that a page can
// colour it.
std::string to_dot(const Graph& graph, std::string_view title = "", const std::vector<DotMark>& marks = {});

}  // namespace parallax
