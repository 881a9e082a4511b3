// Counts: sizes of results that data decide (ops/counted_size.h), as a graph and its symbols have them.
//
// A count that changes from run to run is a symbol that no input has. The call that it is of states it, as a number
// that hangs on the symbol; what it is in a run stands with the run's feed.
#pragma once

#include "graph/symbols.h"

namespace parallax {

// Whether a size of the node's results hangs on its data, and it says which.
bool states_count(const Node& node);
// The dim of the first result of such a node that is so long.
int counted_dim(const Node& node);
// Whether such a node is in the graph.
bool holds_counts(const Graph& graph);

// Whether a symbol is a count: no input has it.
bool is_count(const Symbols& symbols, std::size_t symbol);

}  // namespace parallax
