// Coarsest dtypes: how coarsely what a program computes was rounded on the way, as autocast does it.
#pragma once

#include <vector>

#include "graph/graph.h"

namespace parallax {

// By storage: of the floating dtypes of the results that its elements were computed from, the one with the largest
// visible error (oracle/visible_error.h), F64 standing for all that are no halves. An integer or a bool hands no rounding
// on, and what a subgraph rounds inside is not looked at. Empty where the graph has no f16 and no bf16.
std::vector<DType> coarsest_dtypes(const Graph& graph);

}  // namespace parallax
