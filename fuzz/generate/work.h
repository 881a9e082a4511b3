// Work: what a call costs the reference, so that nothing is drawn that takes minutes.
#pragma once

#include "graph/graph.h"
#include "ops/op.h"

namespace parallax {

// Elementary operations, roughly: one an element that is read or made, one a product that is summed up. `result` is the
// first result's layout.
double work_of(const Call& call, const Layout& result);
// Of a node in its graph.
double work_of(const Graph& graph, const Node& node);

}  // namespace parallax
