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

// A line of its own in a node's box, and a class more that a page colours the box by.
struct DotNote {
  NodeId node;
  std::string text;
  std::string kind;
};

struct DotOptions {
  std::vector<DotMark> marks;
  std::vector<DotNote> notes;
  std::size_t first_number = 0;  // of the first node, where the graph is a part of a longer one
};

// What is drawn has a class of its own (source, call, write, guilty, output; flow, alias, written), so that a page can
// colour it. Node 3 has the class n3 too.
std::string to_dot(const Graph& graph, std::string_view title = "", const DotOptions& options = {});

}  // namespace parallax
