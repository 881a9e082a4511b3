// Pass change: what a pass took out of a graph, in classes of ops. Where the pass is wrong, this tells its slips apart.
#pragma once

#include <string>

#include "graph/graph.h"

namespace parallax {

// "cast", "binary, unary": the families of the calls of `before` that `after` has no more or has as calls of other ops,
// or if there is none, of those that are given other values. Where the pass ran on a graph that may write (`functional`
// is false), what counts of a call is what it has to do with memory: "write", "allocation", "call across a write"; or
// "memory of its own", where it has become a view. Empty where nothing changed.
std::string change_of(const Graph& before, const Graph& after, bool functional);

}  // namespace parallax
