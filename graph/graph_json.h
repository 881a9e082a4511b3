// The "graph" part of a case file.
#pragma once

#include "core/json_field.h"
#include "graph/graph.h"

namespace parallax {

// Reads a graph through GraphBuilder, so what comes back is valid. Errors carry the JSON pointer of the field at fault.
// `getitem` is no node: it names an element of a list result. `feed`, if there is one, is the case's: where the shape of a
// result depends on data (Op::complete), that data is read from it, and the call then states the size.
Result<Graph> read_graph(const Field& graph, std::optional<Field> feed = std::nullopt);

// Writes a graph. Elements of a list result that something uses get their getitem right after the node.
Json graph_json(const Graph& graph);

// The sections of sources, in the order they stand in.
inline constexpr std::string_view source_sections[] = {"inputs", "constants", "buffers"};  // by SourceKind

}  // namespace parallax
