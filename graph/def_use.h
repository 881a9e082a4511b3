// Def-use: which node makes each value, and which nodes write each storage.
#pragma once

#include <optional>
#include <vector>

#include "graph/graph.h"

namespace parallax {

// By value: the place of the node whose result it is; nothing of a source.
std::vector<std::optional<std::size_t>> value_makers(const Graph& graph);

// By storage: the places of the nodes that write it in place, in order. What only makes it is no write.
std::vector<std::vector<std::size_t>> storage_writers(const Graph& graph);

}  // namespace parallax
