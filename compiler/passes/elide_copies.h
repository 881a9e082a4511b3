// Copy elision: when a copy may be its source.
#pragma once

#include "graph/graph.h"

namespace parallax {

// A planted fault takes other rules.
struct ElisionRules {
  bool minds_layouts = true;  // not where somebody reads the copy's memory in its order, and the source's is another
};

// compiler/passes/elide_copies.cpp
Result<Graph> elide_copies_with(const Graph& graph, const ElisionRules& rules);

}  // namespace parallax
