// The compiler's passes, in the order in which they run. A new pass is its file in compiler/passes/ and one line here.
//
// Each takes a graph and gives a graph with the same meaning: the same sources, the same outputs, the same memory
// shared between them, and the same writes to the caller's tensors. Running a pass twice gives what running it once
// gave.
#pragma once

#include <array>
#include <string_view>

#include "graph/graph.h"

namespace parallax {

using PassFn = Result<Graph> (*)(const Graph& graph);

struct Pass {
  std::string_view name;
  PassFn run;
};

// Every op becomes functional; what the caller must see written is copied to it at the very end (functionalize.cpp).
Result<Graph> functionalize(const Graph& graph);
// Copies that nobody can tell from their source become aliases of it (elide_copies.cpp).
Result<Graph> elide_copies(const Graph& graph);
// Nodes whose results reach neither an output nor a write disappear (drop_dead_nodes.cpp).
Result<Graph> drop_dead_nodes(const Graph& graph);

inline constexpr std::array standard_passes = {
    Pass{"functionalize", functionalize},
    Pass{"elide_copies", elide_copies},
    Pass{"drop_dead_nodes", drop_dead_nodes},
};

}  // namespace parallax
