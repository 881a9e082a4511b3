// Which of a graph's sources its calls write to.
#pragma once

#include "graph/graph.h"

namespace parallax {

// Whether a node writes to a source of that kind, or changes its sizes in place.
bool writes_source(const Graph& graph, SourceKind kind);

}  // namespace parallax
