// Writes the "graph" part of a case file.
#pragma once

#include "core/json_field.h"
#include "graph/symbols.h"

namespace parallax {

// Writes a graph, the dims of inputs that are symbols by name. Elements of a list result that something uses get their
// getitem right after the node.
Json graph_json(const Graph& graph, const Symbols& symbols = {});

}  // namespace parallax
