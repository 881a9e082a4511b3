// Inlining: the calls of a subgraph put into its caller in place of the call.
#pragma once

#include "graph/control_op.h"
#include "graph/sketch.h"

namespace parallax {

// Adds the subgraph's calls to a sketch in front of its node `at`, on values of the sketch by position, under names
// that are made up. Returns the values that its outputs are.
std::vector<ValueId> inline_calls(Sketch& sketch, std::size_t at, const Graph& subgraph,
                                  const std::vector<ValueId>& operands);

}  // namespace parallax
