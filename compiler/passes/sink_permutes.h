// Permute sinking: a call on permuted tensors as the same call on the tensors, its result permuted.
#pragma once

#include "compiler/view_chains.h"

namespace parallax {

// Which dims of the tensor the call is to name, that named `dims` of the permuted one. A planted fault has another.
using MapDimsFn = IntList (*)(const IntList& order, const IntList& dims);

// The dims of x that stand at those places of permute(x, order).
IntList unpermuted_dims(const IntList& order, const IntList& dims);

// Every permutation as far down as it goes (compiler/passes/sink_permutes.cpp).
Result<Graph> sink_permutes_with(const Graph& graph, MapDimsFn map_dims, const ViewRules& views);

}  // namespace parallax
